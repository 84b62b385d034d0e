#!/bin/sh
# The client image's entrypoint, run as an init container of every pod that borrows a GPU: copies the libraries to the volume
# the pod shares (/tensor-fusion) and writes the ld.so.preload that will be mounted at /etc/ld.so.preload in its containers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
volume=${1:-/tensor-fusion}
mkdir -p "$volume"
if [ "${RUN_INSIDE_GPU_NODE:-}" = true ]; then
  : >"$volume/ld.so.preload" # the GPU is in this machine: AMD's own library does it
  echo "hip-remote: the pod uses the GPU of its node"
  exit 0
fi
rm -rf "$volume/hip-remote.new"
cp -R "$here/hip-remote" "$volume/hip-remote.new"
rm -rf "$volume/hip-remote"
mv "$volume/hip-remote.new" "$volume/hip-remote"
# In this order: the first stands for all of them (client/preload/README.md).
for suffix in "" .5 .6 .7; do echo "$volume/hip-remote/preload/libamdhip64.so$suffix"; done >"$volume/ld.so.preload.new"
mv "$volume/ld.so.preload.new" "$volume/ld.so.preload"
echo "hip-remote: client libraries are in $volume"
