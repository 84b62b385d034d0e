#!/bin/sh
# Installs ROCm from AMD's tarballs, without a package manager and without a GPU.
#   install_rocm_tarball.sh VERSION GPU_FAMILY [stable|nightlies|prereleases|devreleases]
#   install_rocm_tarball.sh 7.10.0 gfx94X-dcgpu          # MI300X, MI325X
# The result is /opt/rocm-VERSION and the link /opt/rocm. DESTDIR goes in front of both; ROCM_TARBALL_URL replaces the address.
set -eu
usage() { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
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
mkdir -p "$prefix"
tar -xzf "$download" -C "$prefix"
for part in bin lib include; do
  if [ ! -d "$prefix/$part" ]; then echo "$url has no $part/: not a ROCm distribution" >&2; exit 1; fi
done
ln -sfn "rocm-$version" "${DESTDIR:-}/opt/rocm"
echo "ROCm $version for $family is in $prefix"
