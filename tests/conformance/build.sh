#!/usr/bin/env bash
# Compiles the conformance programs into OUTDIR; does nothing when they are up to date.
#   tests/conformance/build.sh OUTDIR
# OUTDIR/NAME and OUTDIR/kernels/NAME come from hipcc. The kernels are built again by the newest plain clang found, as code
# object version 5 without and with optimization and version 6: kernels-v5-O0, kernels-v5-O3, kernels-v6-O3. fat/ has one
# program in other containers: several targets, xnack variants, compressed, and device code linked from relocatable objects.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: build.sh OUTDIR}
mkdir -p "$out/modules"
out=$(cd "$out" && pwd)

newest() { compgen -c "$1-" | grep -E -- '-[0-9]+$' | sort -t- -k2 -V | tail -1 || true; }
clang=$(newest clang++)
libraries=$("$here/../../scripts/device_libraries.sh")
version=${clang##*-}

# Code object 6 wants a one-line library that old device libraries lack; it differs from version 5's in one number.
library6=
if [[ -n $clang && -e $libraries/oclc_abi_version_600.bc ]]; then
  library6=$libraries
elif [[ -n $clang && -e $libraries/oclc_abi_version_500.bc ]] && command -v "llvm-as-$version" >/dev/null; then
  library6=$out/bitcode
  if [[ ! -e $library6/oclc_abi_version_600.bc ]]; then
    mkdir -p "$library6"
    ln -sf "$libraries"/*.bc "$library6"
    "llvm-dis-$version" "$libraries/oclc_abi_version_500.bc" -o - | sed 's/i32 500/i32 600/' |
      "llvm-as-$version" -o "$library6/oclc_abi_version_600.bc"
  fi
fi

# ./test counts these lines.
if [[ -z $clang || -z $libraries ]]; then
  echo "skipped kernels-v5, kernels-v6, fat and modules by clang: no clang or no ROCm device libraries are installed" >&2
elif [[ -z $library6 ]]; then
  echo "skipped kernels-v6: no device library for code object 6 and no llvm-as-$version to make one" >&2
fi
clangFlags="-x hip --offload-arch=gfx90a --rocm-path=/usr -std=c++17 -Wno-unused-command-line-argument -Wno-#warnings"
program() { # RULE OUTPUT SOURCE [FLAGS [PRECOMPILED]]: with often.h precompiled, where the flags are those it was compiled with
  local needs=$headers flags=${4:-}
  if [[ -n ${5:-} ]]; then
    needs+=" $5/host $5/device"
    flags+=" -Xclang -include-pch -Xclang $5" # of a folder clang takes the one that fits: that of the host, or the device's
  fi
  printf 'build %s: %s %s | %s\n  flags = %s\n' "$2" "$1" "$3" "$needs" "$flags"
}
precompiled() { # RULE FOLDER [FLAGS]
  for side in host device; do
    printf 'build %s/%s: %s %s\n' "$2" "$side" "$1" "$here/often.h"
    printf '  flags = %s\n' "${3:-} -x hip --cuda-$side-only -S -Xclang -emit-pch -MD -MF $2/$side.d -Wno-unused-command-line-argument -Wno-pragma-once-outside-header"
    printf '  depfile = %s\n  deps = gcc\n' "$2/$side.d" # the compiler refuses one that is older than a header of the system
  done
}

headers="$here/check.h $here/support.h $here/system.h $here/later.h $here/graph_support.h $here/capture_support.h $here/module_support.h $here/kernels/half_reference.h"
{
  cat <<EOF
flags =
rule hipcc
  command = ${HIPCC:-hipcc} --offload-arch=gfx90a -std=c++17 -O3 -Wall -Wextra \$flags \$in -o \$out
  description = hipcc \$out
rule genco
  command = ${HIPCC:-hipcc} --genco -std=c++17 -O3 \$flags \$in -o \$out
  description = module \$out
rule clang
  command = $clang $clangFlags --rocm-device-lib-path=$libraries \$flags \$in -o \$out -x none -lamdhip64
  description = $clang \$out
rule clang6
  command = $clang $clangFlags --rocm-device-lib-path=$library6 -mcode-object-version=6 -w \$flags \$in -o \$out -x none -lamdhip64
  description = $clang \$out
rule device
  command = $clang $clangFlags --rocm-device-lib-path=$libraries -O3 --cuda-device-only \$flags \$in -o \$out
  description = module \$out
rule device6
  command = $clang $clangFlags --rocm-device-lib-path=$library6 -mcode-object-version=6 -w -O3 --cuda-device-only \$flags \$in -o \$out
  description = module \$out
rule text
  command = echo 'This is not a code object.' > \$out
EOF
  precompiled hipcc often/hipcc
  if [[ -n $clang && -n $libraries ]]; then
    precompiled clang often/v5-O0 "-mcode-object-version=5 -O0"
    precompiled clang often/v5-O3 "-mcode-object-version=5 -O3"
    if [[ -n $library6 ]]; then precompiled clang6 often/v6-O3 -O3; fi
  fi
  for source in "$here"/*.hip; do
    name=$(basename "$source" .hip)
    if [[ $name == stream_per_thread ]]; then
      program hipcc "$name" "$source" "-DHIP_API_PER_THREAD_DEFAULT_STREAM -fgpu-default-stream=per-thread"
    else
      program hipcc "$name" "$source" "" often/hipcc
    fi
  done
  for source in "$here"/kernels/*.hip; do
    name=$(basename "$source" .hip)
    program hipcc "kernels/$name" "$source" "" often/hipcc
    if [[ -z $clang || -z $libraries || $name == atomics_wrap ]]; then continue; fi
    program clang "kernels-v5-O0/$name" "$source" "-mcode-object-version=5 -O0" often/v5-O0
    program clang "kernels-v5-O3/$name" "$source" "-mcode-object-version=5 -O3" often/v5-O3
    if [[ -n $library6 ]]; then program clang6 "kernels-v6-O3/$name" "$source" -O3 often/v6-O3; fi
  done
  fat=$here/kernels/structs.hip
  program hipcc fat/targets "$fat" --offload-arch=gfx1030
  program hipcc fat/xnack "$fat" "--no-offload-arch=gfx90a --offload-arch=gfx90a:xnack+ --offload-arch=gfx90a:xnack-"
  if [[ -n $clang && -n $libraries ]]; then
    program clang fat/compressed "$fat" "-O3 --offload-arch=gfx1030 --offload-compress"
    program clang fat/relocatable "$fat" "-O3 -fgpu-rdc --hip-link"
  fi
  module=$here/modules/scale.hip
  program genco modules/scale.bundle "$module" --offload-arch=gfx90a
  program genco modules/scale.targets "$module" "--offload-arch=gfx1030 --offload-arch=gfx90a"
  program genco modules/scale.gfx1030 "$module" --offload-arch=gfx1030
  echo "build modules/text: text"
  if [[ -n $clang && -n $libraries ]]; then
    program device modules/scale.elf "$module" --no-gpu-bundle-output
    program device modules/scale.compressed "$module" "--offload-arch=gfx1030 --offload-compress --gpu-bundle-output"
    if [[ -n $library6 ]]; then program device6 modules/scale.v6 "$module" --no-gpu-bundle-output; fi
  fi
} >"$out/build.ninja"
ninja -C "$out" ${JOBS:+-j"$JOBS"}
