#!/usr/bin/env bash
# Installs what is missing to build and test this project, from the packages of Debian 12 or Ubuntu 24.04.
# Instant, and without any network, when everything is there.
#   scripts/deps.sh [--demo | --packages | --libraries]
#     --demo        only what it takes to build the product and the examples
#     --packages    that, and what it takes to make packages and a wheel of it
#     --libraries   also those of AMD's own libraries that the distribution has (1.4 GB)
set -euo pipefail

packages=(build-essential cmake ninja-build pkg-config libzstd-dev libxxhash-dev libsodium-dev libssl-dev libucx-dev zlib1g-dev nlohmann-json3-dev openssl
  hipcc libamdhip64-dev) # hipcc brings the device libraries, under the name they have there
testing=(iproute2 jq libgtest-dev libbenchmark-dev python3 python3-jsonschema python3-yaml shellcheck csmith libcsmith-dev)
packaging=(file help2man patchelf python3 python3-venv)
libraries=(librocrand-dev libhiprand-dev librocprim-dev librocsparse-dev libhipsparse-dev)
wanted=() demo=
case ${1:-} in
  --demo) demo=yes ;;
  --packages) demo=yes packages+=("${packaging[@]}") ;;
  --libraries) wanted=("${libraries[@]}") ;;
esac
if [[ -z $demo ]]; then packages+=("${testing[@]}"); fi
installed() { dpkg -s "$1" 2>/dev/null | grep -q '^Status: .* installed'; }
available() { apt-cache show "$1" >/dev/null 2>&1; }

if ! command -v dpkg >/dev/null; then
  echo "This is not a Debian or Ubuntu system; install the equivalents of: ${packages[*]} clang-19 llvm-19 lld-19" >&2
  exit 1
fi

# Clang 19 is what the tests are written with; where the distribution lacks it, the newest it has.
newest_clang() {
  local version
  for version in 19 21 20 18 17 16 15; do
    if installed "clang-$version" && [[ $version -eq 19 ]] || available "clang-$version"; then
      echo "$version"
      return
    fi
  done
}
find_missing() { # sets missing
  local clang package
  missing=()
  for package in "${packages[@]}"; do
    if ! installed "$package"; then missing+=("$package"); fi
  done
  if [[ -n $demo ]]; then return; fi
  clang=$(newest_clang)
  for package in "clang-${clang:-19}" "llvm-${clang:-19}" "lld-${clang:-19}"; do
    if ! installed "$package"; then missing+=("$package"); fi
  done
  # What checks the code and what some tests need in exactly this version; ./test lists what it skips without them.
  for package in clang-format-19 clang-tidy-19 llvm-19 libclang-rt-19-dev; do
    if ! installed "$package" && available "$package"; then missing+=("$package"); fi
  done
  for package in "${wanted[@]}"; do
    if ! installed "$package" && available "$package"; then missing+=("$package"); fi
  done
}

find_missing
if [[ ${#missing[@]} -eq 0 ]]; then exit 0; fi
as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "Missing packages: ${missing[*]}. Run as root, or install sudo." >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -q
find_missing # the fresh package lists may know more
if [[ ${#missing[@]} -eq 0 ]]; then exit 0; fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
