#!/bin/sh
# Installs the Debian packages that a task needs: deps.sh build|test.
# It says what is missing and why, and does nothing when all is there.
set -eu

build="gcc libc6-dev pkg-config libgl-dev libx11-dev libxcursor-dev libxrandr-dev libxinerama-dev libxi-dev libxxf86vm-dev libwayland-dev libxkbcommon-dev libgl1-mesa-dri libxtst-dev libpng-dev git"
tests="xvfb openbox dbus xdotool x11-utils imagemagick xfce4-panel xfce4-notifyd fonts-noto-core fonts-noto-cjk ripgrep fd-find desktop-file-utils libglib2.0-bin appstream xz-utils procps python3 bubblewrap gnome-keyring chromium chromium-headless-shell chromium-sandbox fonts-liberation scrot maim xserver-xephyr x11-xkb-utils x11-xserver-utils xterm zenity at-spi2-core xclip python3-gi gir1.2-gtk-3.0 gir1.2-gtk-4.0 python3-pyqt5 sway picom"

command -v npm >/dev/null || tests="$tests nodejs npm" # for the independent mock of the models' APIs

case "${1:-}" in
build) want="$build" why="to build the desktop window and the native helper" ;;
test) want="$build $tests" why="to build the window and the native helper, and to test them and the browser on a virtual display" ;;
*) echo "usage: deps.sh build|test" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
	echo "This is not Debian or Ubuntu; install what provides these yourself: $want" >&2
	exit 0
fi
missing=""
for p in $want; do
	case "$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null || true)" in
	*"install ok installed"*) ;;
	*) missing="$missing $p" ;;
	esac
done
[ -z "$missing" ] && exit 0

echo "Hobkin needs these Debian packages $why:$missing"
sudo=""
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "Install them as root: apt-get install --no-install-recommends$missing" >&2
		exit 1
	fi
	sudo="sudo"
fi
$sudo apt-get update -q
# shellcheck disable=SC2086  # a list of names
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends $missing
