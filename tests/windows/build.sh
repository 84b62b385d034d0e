#!/usr/bin/env bash
# Compiles HIP programs for Windows: the examples and the conformance programs, except those that need POSIX (not_here.txt).
#   tests/windows/build.sh BUILD_DIR       BUILD_DIR is the Linux build, with its examples and conformance programs made;
#                                          BUILD_DIR/windows the Windows one
# The device code is that of the Linux programs, taken out of them: what differs is the host program, made by clang for MinGW's
# target. BUILD_DIR/windows/programs/NAME.exe, with the DLLs beside them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: build.sh BUILD_DIR}" && pwd)
windows=$build/windows
out=$windows/programs
clang=${CLANG:-clang++-19}
gcc=$(ls -d /usr/lib/gcc/x86_64-w64-mingw32/*-posix | sort -V | tail -1)
mkdir -p "$out/modules" "$windows/include"

# Debian's headers of HIP 5.2 take every compiler but Microsoft's for one whose long has 64 bits.
if [[ ! -e $windows/include/hip/hip_runtime.h ]]; then
  cp -r /usr/include/hip "$windows/include"
  grep -rl _MSC_VER "$windows/include/hip/amd_detail" |
    xargs sed -i -E 's/#ifndef _MSC_VER/#ifndef _WIN32/; s/#if !defined\(_MSC_VER\)/#if !defined(_WIN32)/'
fi

{
  cat <<EOF
flags =
rule fatbin
  command = llvm-objcopy-19 -O binary --only-section=.hip_fatbin \$in \$out
  description = device code of \$out
rule hip
  command = $clang --target=x86_64-w64-mingw32 -w -O1 -std=c++17 -I$windows/include -isystem $gcc/include/c++ $
      -isystem $gcc/include/c++/x86_64-w64-mingw32 -isystem $gcc/include/c++/backward --rocm-path=/usr -nogpulib $
      -x hip --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang \$fatbin \$flags -c \$in -o \$out
  description = clang \$out
rule host
  command = x86_64-w64-mingw32-g++-posix -D__HIP_PLATFORM_AMD__ -O1 -std=c++20 -I$windows/include -I$build/examples -c \$in -o \$out
  description = g++ \$out
rule link
  command = x86_64-w64-mingw32-g++-posix -static \$in -o \$out
  description = link \$out
EOF
  program() { # SOURCE LINUX_PROGRAM NAME [FLAGS]
    if grep -qxF "$3" <(grep -v '^#' "$here/not_here.txt" | cut -d' ' -f1); then return; fi
    printf 'build %s: fatbin %s\n' "obj/$3.hipfb" "$2"
    printf 'build %s: hip %s | %s\n  fatbin = %s\n  flags = %s\n' "obj/$3.o" "$1" "obj/$3.hipfb" "obj/$3.hipfb" "${4:-}"
    printf 'build %s: link %s %s\n' "$3.exe" "obj/$3.o" "$windows/lib/amdhip64_5.lib"
  }
  for source in "$root"/tests/conformance/*.hip "$root"/tests/conformance/kernels/*.hip; do
    name=$(basename "$source" .hip) folder=
    if [[ $source == */kernels/* ]]; then folder=kernels/; fi
    flags=
    if [[ $name == stream_per_thread ]]; then flags="-DHIP_API_PER_THREAD_DEFAULT_STREAM -fgpu-default-stream=per-thread"; fi
    program "$source" "$build/conformance/$folder$name" "$folder$name" "$flags"
  done
  for name in vector_add matmul reduction streams_events multi_gpu gpu_load; do
    program "$root/examples/$name/$name.hip" "$build/examples/$name" "examples/$name" "-I$root/examples"
  done
  echo "build obj/hello_hip.o: host $root/examples/hello_hip/hello_hip.cpp"
  echo "build examples/hello_hip.exe: link obj/hello_hip.o $windows/lib/amdhip64_5.lib"
  for name in exit threads_at_exit; do
    echo "build obj/$name.o: host $here/$name.cpp"
    echo "build tests/$name.exe: link obj/$name.o $windows/lib/amdhip64_5.lib"
  done
} >"$out/build.ninja"
ninja -C "$out" ${JOBS:+-j"$JOBS"}
cp -u "$build"/conformance/modules/* "$out/modules/"
mkdir -p "$out/kernels/modules"
cp -u "$build"/conformance/modules/* "$out/kernels/modules/" # beside the programs that look for them
for folder in . kernels examples tests; do cp -u "$windows"/bin/amdhip64*.dll "$out/$folder"; done
