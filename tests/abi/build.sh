#!/usr/bin/env bash
# Compiles each program here for the ABIs 5, 6 and 7, or for those that its line "// ABIs: ..." names, into OUTDIR, linked to
# the libraries in LIBDIR; NAME.5, NAME.6, NAME.7.
#   tests/abi/build.sh OUTDIR LIBDIR MODULES       MODULES: the modules/ folder that tests/conformance/build.sh made
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: build.sh OUTDIR LIBDIR MODULES} libraries=$(cd "$2" && pwd) modules=$(cd "$3" && pwd)
mkdir -p "$out"
ln -sfn "$modules" "$out/modules"
{
  cat <<EOF
rule cxx
  command = ${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -pthread -I$here/../conformance -DABI=\$abi \$in -L$libraries -l:libamdhip64.so.\$abi -ldl -o \$out
  description = \$out
EOF
  for source in "$here"/*.cpp; do
    only=$(sed -n 's|^// ABIs: ||p' "$source")
    for abi in ${only:-5 6 7}; do
      echo "build $(basename "$source" .cpp).$abi: cxx $source | $here/hip_abi.h $here/objects.h $here/../conformance/check.h"
      echo "  abi = $abi"
    done
  done
} >"$out/build.ninja"
ninja -C "$out" ${JOBS:+-j"$JOBS"}
