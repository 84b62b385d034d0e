#!/bin/sh
# Installs ROCm from AMD's tarballs, without a package manager and without a GPU.
#   install_rocm_tarball.sh VERSION GPU_FAMILY [stable|nightlies|prereleases|devreleases]
#   install_rocm_tarball.sh 7.10.0 gfx94X-dcgpu          # MI300X, MI325X
# The result is /opt/rocm-VERSION and the link /opt/rocm. DESTDIR goes in front of both; ROCM_TARBALL_URL replaces the address.
# ROCM_SHA256 is what the tarball must be. Without it, or "unchecked", it is whatever the server sends, and its hash is printed.
set -eu
usage() { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
if [ $# -lt 2 ] || [ $# -gt 3 ]; then usage; fi
version=$1 family=$2 release=${3:-stable}
name=therock-dist-linux-$family-$version.tar.gz
case $release in
  stable) base=https://repo.amd.com/rocm/tarball ;;
  nightlies | prereleases | devreleases) base=https://rocm.$release.amd.com/tarball ;;
  *) usage ;;
esac
url=${ROCM_TARBALL_URL:-$base/$name}
prefix=${DESTDIR:-}/opt/rocm-$version

download=$(mktemp)
trap 'rm -f "$download"' EXIT
echo "Fetching $url"
case $url in
  file://*) cp "${url#file://}" "$download" ;;
  *) curl --fail --location --retry 3 --silent --show-error -o "$download" "$url" ;;
esac
hash=$(sha256sum "$download" | cut -d ' ' -f 1)
case ${ROCM_SHA256:-unchecked} in
  unchecked) echo "not checked: SHA-256 $hash" ;;
  "$hash") ;;
  *) echo "$url is not what was expected: SHA-256 $hash" >&2; exit 1 ;;
esac
mkdir -p "$prefix"
tar -xzf "$download" -C "$prefix"
for part in bin lib include; do
  if [ ! -d "$prefix/$part" ]; then echo "$url has no $part/: not a ROCm distribution" >&2; exit 1; fi
done
ln -sfn "rocm-$version" "${DESTDIR:-}/opt/rocm"
echo "ROCm $version for $family is in $prefix"
