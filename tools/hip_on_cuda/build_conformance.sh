#!/usr/bin/env bash
# Compiles conformance programs so that the gfx90a code in them carries PTX of the same kernels (README.md).
#   build_conformance.sh OUT [PROGRAM...]
# Needs clang 19, llvm 19, HIP's headers and device libraries, and libamdhip64 to link with, as tests/conformance/build.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../tests/conformance
out=${1:?usage: build_conformance.sh OUT [PROGRAM...]}
shift
mkdir -p "$out/parts"
out=$(cd "$out" && pwd)
if [[ $# -eq 0 ]]; then
  set -- event host_memory memcpy_1d memcpy_2d3d memory_alloc memset pointer_attributes stream stream_per_thread threads
fi

clang=${CLANG:-clang++-19}
libraries=$("$here/../../scripts/device_libraries.sh")
common=(-std=c++17 -O3 -ffp-contract=off "-Wno-#warnings" -Wno-unused-command-line-argument)
hip=(-x hip --offload-arch=gfx90a --rocm-path=/usr "--rocm-device-lib-path=$libraries")
# CUDA without an SDK; clang's own wrappers for C++ headers want one, so they are left out.
cuda=(-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -Wno-unknown-cuda-version
  -nobuiltininc -isystem "$("$clang" -print-resource-dir)/include" -I"$here/ptx_include")

for name in "$@"; do
  source=$sources/$name.hip part=$out/parts/$name flags=()
  if [[ $name == stream_per_thread ]]; then flags=(-DHIP_API_PER_THREAD_DEFAULT_STREAM -fgpu-default-stream=per-thread); fi
  "$clang" "${hip[@]}" "${common[@]}" "${flags[@]}" --cuda-device-only --no-gpu-bundle-output "$source" -o "$part.elf"
  "$clang" "${cuda[@]}" "${common[@]}" "${flags[@]}" -S "$source" -o "$part.ptx"
  "$here/add_ptx.sh" "$part.elf" "$part.ptx" "$part.hsaco"
  clang-offload-bundler-19 -type=o -bundle-align=4096 \
    -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a \
    -input=/dev/null -input="$part.hsaco" -output="$part.bundle"
  "$clang" "${hip[@]}" "${common[@]}" "${flags[@]}" --cuda-host-only \
    -Xclang -fcuda-include-gpubinary -Xclang "$part.bundle" "$source" -o "$out/$name" -x none -lamdhip64
  echo "$out/$name"
done
