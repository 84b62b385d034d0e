#!/bin/sh
# The client image: the libraries and the script that puts them into a pod.
#   stage_client.sh BUILD_DIR ROOT
set -eu
here=$(dirname "$0") build=$1 root=$2
library=$root/hip-remote
mkdir -p "$library/preload"
for abi in 5 6 7; do cp "$build/lib/libamdhip64.so.$abi" "$library/"; done
cp "$build"/lib/preload/libamdhip64.so* "$library/preload/"
strip --strip-unneeded "$library"/*.so.* "$library"/preload/*
cp "$here/inject_client.sh" "$root/"
