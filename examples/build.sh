#!/usr/bin/env bash
# Compiles the examples into OUTDIR with the HIP compiler; does nothing when they are up to date.
#   examples/build.sh OUTDIR        HIPCC, CXX and GPU_ARCH (gfx90a) may be set
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: build.sh OUTDIR}
mkdir -p "$out"
out=$(cd "$out" && pwd)

{
  cat <<EOF
hipcc = ${HIPCC:-hipcc} --offload-arch=${GPU_ARCH:-gfx90a} -O3 -std=c++17
rule program
  command = \$hipcc \$in -o \$out
  description = example \$out
rule code_object
  command = \$hipcc --genco \$in -o \$out
  description = code object \$out
rule embed
  command = { echo '#define VECTOR_ADD_TARGET "${GPU_ARCH:-gfx90a}"'; echo 'alignas(4096) static const unsigned char vector_add_co[] = {'; od -An -v -tx1 \$in | sed 's/ \\([0-9a-f]*\\)/0x\\1,/g'; echo '};'; } > \$out
  description = embed \$out
rule host_program
  command = ${CXX:-c++} -D__HIP_PLATFORM_AMD__ -O2 -Wall -I. \$in -lamdhip64 -o \$out
  description = example \$out
build vector_add.co: code_object $here/hello_hip/vector_add_kernel.hip
build vector_add_co.h: embed vector_add.co
build hello_hip: host_program $here/hello_hip/hello_hip.cpp | vector_add_co.h
EOF
  for example in vector_add matmul reduction image_filter streams_events multi_gpu gpu_load; do
    echo "build $example: program $here/$example/$example.hip | $here/hip_check.h"
  done
} >"$out/build.ninja"
ninja -C "$out" ${JOBS:+-j"$JOBS"}
