#!/bin/sh
# Lays the built programs out as a Debian package's tree: stage.sh FOLDER.
set -eu
cd "$(dirname "$0")/../.."
root="${1:?usage: stage.sh FOLDER}/hobkin"
id=io.github.hobkin.Hobkin
rm -rf "$root"
install -Dm755 -t "$root/usr/bin" bin/hobkin bin/hobkin-desktop bin/hobkin-helper
install -Dm644 -t "$root/usr/share/applications" "packaging/linux/$id.desktop"
install -Dm644 -t "$root/usr/share/metainfo" "packaging/linux/$id.metainfo.xml"
for size in 16 22 24 32 48 64 128 256 512; do
	install -Dm644 "assets/icons/hobkin-$size.png" "$root/usr/share/icons/hicolor/${size}x$size/apps/$id.png"
done
install -Dm644 assets/icons/hobkin.svg "$root/usr/share/icons/hicolor/scalable/apps/$id.svg"
install -Dm644 -t "$root/usr/share/doc/hobkin" LICENSE README.md docs/*.md
for shell in bash zsh fish; do
	case $shell in
	bash) dir=bash-completion/completions name=hobkin ;;
	zsh) dir=zsh/vendor-completions name=_hobkin ;;
	fish) dir=fish/vendor_completions.d name=hobkin.fish ;;
	esac
	mkdir -p "$root/usr/share/$dir"
	bin/hobkin completion $shell >"$root/usr/share/$dir/$name"
done
# What the package needs, for dpkg-deb --root-owner-group --build. It recommends
# bubblewrap: without it commands are held less tightly.
size=$(du -sk "$root" | cut -f1)
mkdir -p "$root/DEBIAN"
sed -e "s/@ARCH@/$(dpkg --print-architecture 2>/dev/null || go env GOARCH)/" -e "s/@KILOBYTES@/$size/" packaging/linux/control >"$root/DEBIAN/control"
echo "$root is ready"
