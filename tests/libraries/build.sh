#!/usr/bin/env bash
# Compiles the programs that use AMD's own libraries, as the distribution packages them, into OUTDIR; incremental.
#   tests/libraries/build.sh OUTDIR
# Where a package is missing (rocPRIM and rocSPARSE are not in every distribution), its programs are skipped, with a word.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: build.sh OUTDIR}
mkdir -p "$out"
out=$(cd "$out" && pwd)

declare -A header=([rocrand]=rocrand/rocrand.h [rocprim]=rocprim/rocprim.hpp [rocsparse]=rocsparse/rocsparse.h
  [hipsparse]=hipsparse/hipsparse.h)
declare -A libraries=([rocrand]="-lrocrand -lhiprand" [rocsparse]=-lrocsparse [hipsparse]=-lhipsparse)
shared=$(echo "$here"/*.h "$here"/../conformance/{check,support}.h)
{
  cat <<EOF
libraries =
rule hipcc
  command = ${HIPCC:-hipcc} --offload-arch=gfx90a -std=c++17 -O3 -Wall -Wextra -Wno-\#warnings \$in -o \$out \$libraries
  description = hipcc \$out
EOF
  for source in "$here"/*.hip; do
    name=$(basename "$source" .hip)
    library=${name%%_*}
    if [[ -n ${header[$library]:-} && ! -e /usr/include/${header[$library]} ]]; then
      echo "skipped $name: there is no ${header[$library]}" >&2
      continue
    fi
    printf 'build %s: hipcc %s | %s\n  libraries = %s\n' "$name" "$source" "$shared" "${libraries[$library]:-}"
  done
} >"$out/build.ninja"
ninja -C "$out" ${JOBS:+-j"$JOBS"}
