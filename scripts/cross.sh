#!/usr/bin/env bash
# Gets what builds for other systems need into build/cross: nothing of it is part of this repository.
#   scripts/cross.sh [windows|macos|arm64]...       all of them unless named
# Debian's packages: the compiler for Windows and Wine, qemu; Debian's sources of zstd and zlib; zig from PyPI, for macOS and
# ARM64. Instant, and without any network, when everything is there.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cross=$root/build/cross
wanted=("$@")
if [[ ${#wanted[@]} -eq 0 ]]; then wanted=(windows macos arm64); fi
as_root=()
if [[ $EUID -ne 0 ]]; then as_root=(sudo); fi
wants() { [[ " ${wanted[*]} " == *" $1 "* ]]; }
installed() { dpkg -s "$1" 2>/dev/null | grep -q '^Status: .* installed'; }

packages=(xz-utils bzip2 libxxhash-dev nlohmann-json3-dev)
if wants windows; then packages+=(g++-mingw-w64-x86-64-posix wine64); fi
if wants arm64; then packages+=(qemu-user-static libc6-arm64-cross libgcc-s1-arm64-cross libgtest-dev); fi
if wants macos || wants arm64; then packages+=(python3-pip); fi
missing=()
for package in "${packages[@]}"; do if ! installed "$package"; then missing+=("$package"); fi; done
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "Installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
fi
mkdir -p "$cross"

mirror() { # of this system's packages
  local found
  found=$(grep -rhoE 'https?://[^ ]*/(debian|ubuntu)/? ' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 || true)
  found=${found:-$(sed -nE 's/^URIs: *(https?:[^ ]*\/(debian|ubuntu)\/?)$/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -1)}
  if [[ -z $found ]]; then
    echo "found no mirror of Debian in /etc/apt" >&2
    return 1
  fi
  echo "${found% }"
}

# Sources as this system's release of Debian (or Ubuntu) has them, whether or not its own list names sources.
if [[ ! -e $cross/sources/complete ]]; then
  work=$(mktemp -d "$cross/sources.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/lists/partial" "$work/include"
  # shellcheck source=/dev/null
  . /etc/os-release
  echo "deb-src $(mirror) $VERSION_CODENAME main" >"$work/sources.list"
  apt=(apt-get -q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
    -o "Dir::Cache::pkgcache=$work/pkgcache" -o "Dir::Cache::srcpkgcache=$work/srcpkgcache" -o APT::Sandbox::User=root)
  (cd "$work" && "${apt[@]}" update && "${apt[@]}" source --download-only libzstd zlib)
  for name in libzstd zlib; do
    mkdir "$work/${name#lib}"
    rm -f "$work/$name"_*.asc
    tar -xf "$work/$name"_*.orig.tar.* -C "$work/${name#lib}" --strip-components=1
  done
  cp /usr/include/xxhash.h "$work/include"
  cp -r /usr/include/nlohmann "$work/include"
  rm -rf "$work"/lists "$work"/*.tar.* "$work"/*.dsc "$work"/*pkgcache* "$work/sources.list" "$cross/sources"
  touch "$work/complete"
  mv "$work" "$cross/sources"
  trap - EXIT
fi

# libsodium and OpenSSL, which zig links: the archives of Debian's packages for ARM64.
if wants arm64 && [[ ! -e $cross/arm64/usr/include/sodium.h || ! -e $cross/arm64/usr/include/openssl/ssl.h ]]; then
  work=$(mktemp -d "$cross/arm64.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/lists/partial"
  # shellcheck source=/dev/null
  . /etc/os-release
  echo "deb $(mirror) $VERSION_CODENAME main" >"$work/sources.list"
  apt=(apt-get -q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
    -o "Dir::Cache::pkgcache=$work/pkgcache" -o "Dir::Cache::srcpkgcache=$work/srcpkgcache" -o Dir::State::status=/dev/null
    -o APT::Sandbox::User=root -o APT::Architecture=arm64 -o APT::Architectures=arm64)
  (cd "$work" && "${apt[@]}" update && "${apt[@]}" download libsodium-dev libssl-dev &&
    for package in libsodium-dev libssl-dev; do dpkg-deb -x "$package"_*.deb root; done)
  rm -rf "$cross/arm64"
  mv "$work/root" "$cross/arm64"
  rm -rf "$work"
  trap - EXIT
fi

if { wants macos || wants arm64; } && [[ ! -x $cross/zig/ziglang/zig ]]; then
  rm -rf "$cross/zig"
  python3 -m pip install -q --no-deps --target "$cross/zig.new" 'ziglang==0.17.0' --break-system-packages 2>/dev/null ||
    python3 -m pip install -q --no-deps --target "$cross/zig.new" 'ziglang==0.17.0'
  mv "$cross/zig.new" "$cross/zig"
fi
