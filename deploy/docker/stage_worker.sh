#!/bin/sh
# The worker image: hip-worker under its own name and under the one that TensorFusion starts, and the software GPU.
#   stage_worker.sh BUILD_DIR ROOT [ROCM]       ROCM: an installation to take AMD's runtime, compiler library and SMI from
set -eu
here=$(dirname "$0") build=$1 root=$2 rocm=${3:-}
prefix=$root/opt/hip-remote
mkdir -p "$prefix/bin" "$prefix/lib/softgpu"
cp "$build/bin/hip-worker" "$build/bin/hip-compile" "$prefix/bin/"
ln -sf hip-worker "$prefix/bin/tensor-fusion-worker"
cp "$build/lib/softgpu/libamdhip64.so.7" "$prefix/lib/softgpu/"
strip --strip-unneeded "$prefix/bin/hip-worker" "$prefix/bin/hip-compile" "$prefix/lib/softgpu/libamdhip64.so.7"
if [ -n "$rocm" ]; then # the last three are opened by name, when they are wanted
  "$here/stage_rocm.sh" "$rocm" "$root/opt/rocm" libamdhip64.so libamd_smi.so -libhiprtc.so -libhiprtc-builtins.so -libamd_comgr.so
fi
