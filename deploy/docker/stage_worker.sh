#!/bin/sh
# The worker image: hip-worker under its own name and under the one that TensorFusion starts, and the software GPU.
#   stage_worker.sh BUILD_DIR ROOT
set -eu
build=$1 root=$2
prefix=$root/opt/hip-remote
mkdir -p "$prefix/bin" "$prefix/lib/softgpu"
cp "$build/bin/hip-worker" "$build/bin/hip-compile" "$prefix/bin/"
ln -sf hip-worker "$prefix/bin/tensor-fusion-worker"
cp "$build/lib/softgpu/libamdhip64.so.7" "$prefix/lib/softgpu/"
strip --strip-unneeded "$prefix/bin/hip-worker" "$prefix/lib/softgpu/libamdhip64.so.7"
