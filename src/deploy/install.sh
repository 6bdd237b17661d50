#!/bin/sh
# Installs Switchboard on Linux or macOS: downloads the executable for this machine and the checksums
# of the release, compares, tries it, and only then puts it in its place. An older one is replaced.
#
#   sh install.sh                                      into /usr/local/bin
#   SWITCHBOARD_FOLDER="$HOME/.local/bin" sh install.sh
#
# SWITCHBOARD_DOWNLOADS is the address of the folder with the files of a release.
set -eu

downloads=${SWITCHBOARD_DOWNLOADS:-}
folder=${SWITCHBOARD_FOLDER:-/usr/local/bin}

fail() {
  echo "switchboard was not installed: $1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

download() {
  if has curl; then
    curl --fail --silent --show-error --location --retry 2 --connect-timeout 20 --output "$2" "$1"
  elif has wget; then
    wget -q -T 60 -O "$2" "$1"
  else
    fail 'curl or wget is needed'
  fi || fail "$1 could not be downloaded"
}

if has sha256sum; then
  sum='sha256sum'
elif has shasum; then
  sum='shasum -a 256'
else
  fail 'sha256sum or shasum is needed'
fi

[ -n "$downloads" ] || fail 'SWITCHBOARD_DOWNLOADS must be the address of a release'

machine=$(uname -m)
# A shell that macOS translates for an older processor says so only here.
[ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" != 1 ] || machine=arm64
case $machine in
  x86_64 | amd64) processor=x64 ;;
  aarch64 | arm64) processor=arm64 ;;
  *) fail "there is no executable for the processor $machine" ;;
esac
case $(uname -s) in
  Linux)
    target=linux-$processor
    # Alpine and others have musl in place of glibc.
    case $(ldd --version 2>&1 || true) in *musl*) target=$target-musl ;; esac
    ;;
  Darwin) target=darwin-$processor ;;
  *) fail "there is no executable for $(uname -s)" ;;
esac
name=switchboard-$target.gz

mkdir -p "$folder" 2>/dev/null || true
work=$(mktemp -d "$folder/.switchboard.XXXXXX" 2>/dev/null) ||
  fail "$folder cannot be written; run this as root, or name another folder in SWITCHBOARD_FOLDER"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

download "$downloads/SHA256SUMS" "$work/SHA256SUMS"
expected=$(awk -v name="$name" '$2 == name { print $1 }' "$work/SHA256SUMS")
[ -n "$expected" ] || fail "the release has no $name"
download "$downloads/$name" "$work/$name"
[ "$($sum <"$work/$name" | cut -d ' ' -f 1)" = "$expected" ] ||
  fail "the checksum of $name is wrong; it was damaged or changed on its way"

gzip -dc "$work/$name" >"$work/switchboard" || fail "$name cannot be unpacked"
chmod 755 "$work/switchboard"
version=$("$work/switchboard" --version) ||
  fail "$target does not run on this machine (Alpine needs: apk add libstdc++)"
mv -f "$work/switchboard" "$folder/switchboard"
echo "Installed $folder/switchboard $version"
case ":$PATH:" in
  *":$folder:"*) name=switchboard ;;
  *) name=$folder/switchboard ;;
esac
echo "Try it with \"$name demo\". \"$name\" alone starts a server; its guides are at /docs."
