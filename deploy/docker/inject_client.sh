#!/bin/sh
# The client image's entrypoint, run as an init container of every pod that borrows a GPU: copies the libraries to the volume
# the pod shares (/tensor-fusion) and writes the ld.so.preload that will be mounted at /etc/ld.so.preload in its containers.
# On the GPU's own node (RUN_INSIDE_GPU_NODE=true) as well: TensorFusion runs it there only when the worker is in the pod.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
volume=${1:-/tensor-fusion}
mkdir -p "$volume"
rm -rf "$volume/hip-remote.new"
cp -R "$here/hip-remote" "$volume/hip-remote.new"
rm -rf "$volume/hip-remote"
mv "$volume/hip-remote.new" "$volume/hip-remote"
# In this order: the first stands for all of them (client/preload/README.md).
for suffix in "" .5 .6 .7; do echo "$volume/hip-remote/preload/libamdhip64.so$suffix"; done >"$volume/ld.so.preload.new"
mv "$volume/ld.so.preload.new" "$volume/ld.so.preload"
echo "hip-remote: client libraries are in $volume"
