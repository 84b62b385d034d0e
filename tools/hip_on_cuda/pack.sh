#!/usr/bin/env bash
# Gathers what run_on_gpu.sh needs, stripped, in one archive for a machine on which nothing can be built or installed.
#   pack.sh BUILD_DIR OUT.tar.xz     BUILD_DIR has hip-worker, native_bench, the libraries, and the programs of
# build_conformance.sh in hip_on_cuda_conformance. There: tar xf OUT.tar.xz && hip_on_cuda/tools/hip_on_cuda/run_on_gpu.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: pack.sh BUILD_DIR OUT.tar.xz}" && pwd)
out=$(realpath "${2:?usage: pack.sh BUILD_DIR OUT.tar.xz}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/hip_on_cuda
mkdir -p "$root"/{build/{bin,lib/{softgpu,hip_on_cuda},hip_on_cuda_conformance},tools/hip_on_cuda,scripts}
cp "$here/run_on_gpu.sh" "$root/tools/hip_on_cuda/"
cp "$here/../../scripts/worker.sh" "$root/scripts/"
cp "$build/bin/"{hip-worker,native_bench} "$root/build/bin/"
cp "$build/lib/libamdhip64.so."{5,7} "$root/build/lib/"
cp "$build/lib/softgpu/libamdhip64.so.5" "$root/build/lib/softgpu/"
cp "$build/lib/hip_on_cuda/"* "$root/build/lib/hip_on_cuda/"
find "$build/hip_on_cuda_conformance" -maxdepth 1 -type f -exec cp {} "$root/build/hip_on_cuda_conformance/" \;
find "$root/build/bin" "$root/build/lib" -type f ! -name '*.hsaco' -exec strip {} +
tar -C "$work" -cJf "$out" hip_on_cuda
ls -l "$out"
