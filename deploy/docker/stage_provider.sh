#!/bin/sh
# The middleware image: TensorFusion copies /build to /run/tensor-fusion on the node, where the hypervisor finds it.
#   stage_provider.sh BUILD_DIR ROOT [ROCM]     ROCM: an installation to take libamd_smi from, and what that needs, for nodes that
#                                               have only the driver
set -eu
here=$(dirname "$0") build=$1 root=$2 rocm=${3:-}
mkdir -p "$root/build/lib"
cp "$build/lib/libaccelerator_amd.so" "$root/build/lib/"
strip --strip-unneeded "$root/build/lib/libaccelerator_amd.so"
cp "$here/metadata.yaml" "$root/build/"
if [ -n "$rocm" ]; then
  "$here/stage_rocm.sh" "$rocm" "$root/build" libamd_smi.so
  echo "rocmVersion: \"$(cat "$rocm/.info/version" 2>/dev/null || echo unknown)\"" >>"$root/build/metadata.yaml"
fi
