#!/bin/sh
# Builds what the images contain, with nothing in it that another system could lack.
#   build.sh SOURCE_DIR BUILD_DIR TARGET...
set -eu
source_dir=$1 build_dir=$2
shift 2
cmake -S "$source_dir" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DHIPR_WERROR=OFF \
  -DCMAKE_CXX_COMPILER="${CXX:-g++-12}" -DCMAKE_C_COMPILER="${CC:-gcc-12}" \
  -DCMAKE_PROJECT_INCLUDE="$source_dir/deploy/docker/portable.cmake"
cmake --build "$build_dir" --target "$@"
