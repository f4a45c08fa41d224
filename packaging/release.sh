#!/bin/sh
# Builds a release whose programs know their native helper, so that the setup
# page can fetch it where it is missing, and takes no other:
#
#   release.sh FOLDER URL KEY.pub [SECRET.key]
#
# FOLDER gets the programs and the helper under the name that it is fetched by;
# what lies at URL must be the helper and its signature, which is made here with
# minisign when the secret key is given.
set -eu
cd "$(dirname "$0")/.."
out="${1:?usage: release.sh FOLDER URL KEY.pub [SECRET.key]}"
url="${2:?the address that the release will have}"
pub="${3:?the public key of minisign}"
mkdir -p "$out"
helper="$out/hobkin-helper-$(go env GOOS)-$(go env GOARCH)$(go env GOEXE)"
go build -o "$helper" ./cmd/hobkin-helper
sum="$(sha256sum "$helper" | cut -d' ' -f1)"
at=github.com/hobkin/hobkin/computeruse/helper
flags="-X $at.releaseURL=$url -X $at.releaseSHA256=$sum -X $at.releaseKey=$(tail -n 1 "$pub")"
CGO_ENABLED=0 go build -ldflags "$flags" -o "$out/hobkin$(go env GOEXE)" ./cmd/hobkin
go build -ldflags "$flags" -o "$out/hobkin-desktop$(go env GOEXE)" ./cmd/hobkin-desktop
if [ -n "${4-}" ]; then
	minisign -S -s "$4" -m "$helper"
else
	echo "sign it before it is published: minisign -S -s SECRET.key -m $helper"
fi
