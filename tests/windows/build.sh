#!/usr/bin/env bash
# Compiles HIP programs for Windows: the examples and the conformance programs, except those that need POSIX (not_here.txt).
#   tests/windows/build.sh BUILD_DIR [PROGRAM...]       BUILD_DIR is the Linux build, with its examples and conformance programs made;
#   BUILD_DIR/windows the Windows one; without PROGRAM (kernels/sort, say) all conformance programs are built
# Made by clang for MinGW's target. The examples, and the programs whose kernels have a long or a size_t in their signature, are
# compiled whole; for the others device code is that of the Linux programs, taken out of them, and only the host's part is compiled.
# What Linux has in other containers and of other compilers (kernels-v5-O0, fat and so on) is the same host code with their device
# code in it. BUILD_DIR/windows/programs/NAME.exe, with the DLLs beside them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: build.sh BUILD_DIR [PROGRAM...]}" && pwd)
shift
windows=$build/windows
out=$windows/programs
clang=${CLANG:-clang++-19}
gcc=$(ls -d /usr/lib/gcc/x86_64-w64-mingw32/*-posix | sort -V | tail -1)
wrappers=$("$clang" -print-resource-dir)/include/cuda_wrappers # C++'s headers, with what kernels may call
libraries=$("$root/scripts/device_libraries.sh")
mkdir -p "$out/modules" "$windows/include"

# Debian's headers of HIP 5.2 take every compiler but Microsoft's for one whose long has 64 bits.
if [[ $here/build.sh -nt $windows/include/hip/hip_runtime.h ]]; then
  rm -rf "$windows/include/hip"
  cp -r /usr/include/hip "$windows/include"
  grep -rl _MSC_VER "$windows/include/hip/amd_detail" |
    xargs sed -i -E 's/#ifndef _MSC_VER/#ifndef _WIN32/; s/#if !defined\(_MSC_VER\)/#if !defined(_WIN32)/'
  # AMD's DLL exports these by their plain names, which Microsoft's linker takes for the C++ functions; others must be told.
  sed -i -E 's/^hipError_t hip(Create|Destroy)SurfaceObject/extern "C" &/' "$windows/include/hip/hip_runtime_api.h"
  sed -i -z 's/HIP_PUBLIC_API\nhipError_t hip\(Ext\|Hcc\)ModuleLaunchKernel/extern "C" &/g' "$windows/include/hip/hip_ext.h"
fi

wanted=("$@")
not_here() { grep -qxF "$1" <(grep -v '^#' "$here/not_here.txt" | cut -d' ' -f1); } # NAME
program() { # SOURCE LINUX_PROGRAM NAME [FLAGS]
  if not_here "$3"; then return; fi
  if [[ $3 == examples/* || $3 == memory_alloc || $3 == kernels/many_args ]]; then
    printf 'build %s: whole %s\n  flags = %s\n' "obj/$3.o" "$1" "${4:-}"
  else
    printf 'build %s: fatbin %s\n' "obj/$3.hipfb" "$2"
    printf 'build %s: hip %s | %s\n  fatbin = %s\n  flags = %s\n' "obj/$3.o" "$1" "obj/$3.hipfb" "obj/$3.hipfb" "${4:-}"
  fi
  printf 'build %s: link %s obj/fma.o %s\n' "$3.exe" "obj/$3.o" "$windows/lib/amdhip64_5.lib"
}
conformance() { # FOLDER SOURCE...
  local folder=$1 source name flags
  shift
  for source in "$@"; do
    name=$folder$(basename "$source" .hip) flags=
    if [[ ${#wanted[@]} -gt 0 && " ${wanted[*]} " != *" $name "* ]]; then continue; fi
    if [[ $name == stream_per_thread ]]; then flags="-DHIP_API_PER_THREAD_DEFAULT_STREAM -fgpu-default-stream=per-thread"; fi
    program "$source" "$build/conformance/$name" "$name" "$flags"
  done
}
variant() { # NAME HOST [FLAGS]: the program NAME of Linux, whose host code is that of HOST, or which is compiled with FLAGS
  if not_here "$1" || [[ ! -e $build/conformance/$1 ]]; then return; fi
  if [[ ${#wanted[@]} -gt 0 && " ${wanted[*]} " != *" $1 "* ]]; then return; fi
  if [[ $# -gt 2 ]]; then
    printf 'build %s: whole %s\n  flags = %s\n' "obj/$1.o" "$root/tests/conformance/$2.hip" "$3"
  else
    printf 'build %s: fatbin %s\n' "obj/$1.hipfb" "$build/conformance/$1"
    printf 'build %s: exchange %s | %s\n  fatbin = %s\n' "obj/$1.o" "obj/$2.o" "obj/$1.hipfb" "obj/$1.hipfb"
  fi
  printf 'build %s: link %s obj/fma.o %s\n' "$1.exe" "obj/$1.o" "$windows/lib/amdhip64_5.lib"
}
{
  cat <<EOF
flags =
hip = $clang --target=x86_64-w64-mingw32 -w -O1 -std=c++17 -I$windows/include -isystem $wrappers -isystem $gcc/include/c++ $
    -isystem $gcc/include/c++/x86_64-w64-mingw32 -isystem $gcc/include/c++/backward --rocm-path=/usr -x hip -DNDEBUG
rule fatbin
  command = llvm-objcopy-19 -O binary --only-section=.hip_fatbin \$in \$out
  description = device code of \$out
rule hip
  command = \$hip -nogpulib --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang \$fatbin \$flags -MD -MF \$out.d -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
  description = clang \$out
# The device libraries were made on Linux, where a wchar_t has four bytes.
rule whole
  command = \$hip --offload-arch=gfx90a -mcode-object-version=4 --rocm-device-lib-path=$libraries $
      -Xarch_device -fno-short-wchar \$flags -c \$in -o \$out
  description = clang \$out, device code too
rule exchange
  command = x86_64-w64-mingw32-objcopy --update-section .hip_fatbin=\$fatbin \$in \$out
  description = \$out with other device code
rule host
  command = x86_64-w64-mingw32-g++-posix -D__HIP_PLATFORM_AMD__ -O1 -std=c++20 -I$windows/include -I$build/examples -c \$in -o \$out
  description = g++ \$out
rule c
  command = x86_64-w64-mingw32-gcc-posix -O1 -Wall -c \$in -o \$out
rule link
  command = x86_64-w64-mingw32-g++-posix -static \$in -o \$out
  description = link \$out
build obj/fma.o: c $here/fma.c
EOF
  conformance "" "$root"/tests/conformance/*.hip
  conformance kernels/ "$root"/tests/conformance/kernels/*.hip
  for source in "$root"/tests/conformance/kernels/*.hip; do
    name=$(basename "$source" .hip)
    if [[ $name == many_args ]]; then continue; fi # its kernels have a long
    for folder in kernels-v5-O0 kernels-v5-O3 kernels-v6-O3; do variant "$folder/$name" "kernels/$name"; done
  done
  variant kernels-v5-O0/many_args kernels/many_args "-mcode-object-version=5 -Xarch_device -O0"
  variant kernels-v5-O3/many_args kernels/many_args "-mcode-object-version=5 -Xarch_device -O3"
  variant kernels-v6-O3/many_args kernels/many_args "-mcode-object-version=6 -Xarch_device -O3 --rocm-device-lib-path=$build/conformance/bitcode"
  for name in targets xnack compressed relocatable; do variant "fat/$name" kernels/structs; done
  for name in vector_add matmul reduction streams_events multi_gpu gpu_load; do
    program "$root/examples/$name/$name.hip" "$build/examples/$name" "examples/$name" "-I$root/examples"
  done
  for name in exit killed posting threads_at_exit; do
    echo "build obj/$name.o: host $here/$name.cpp"
    echo "build tests/$name.exe: link obj/$name.o $windows/lib/amdhip64_5.lib"
  done
} >"$out/build.ninja"
ninja -C "$out" ${JOBS:+-j"$JOBS"}
cp -u "$build"/conformance/modules/* "$out/modules/"
for folder in "$out" "$out"/{kernels*,fat,examples,tests}; do
  if [[ -d $folder ]]; then cp -u "$windows"/bin/amdhip64*.dll "$folder"; fi
done

# hello_hip, by the very lines of docs/windows.md, in the package that people unpack.
cmake --build "$windows" --target zip
hello=$windows/hello_hip
rm -rf "$hello"
mkdir -p "$hello"
(cd "$hello" && cmake -E tar xf "$windows/hip-remote-windows-x86_64.zip")
package=$hello/hip-remote-windows-x86_64
lines=$(awk '/^hipcc --genco/, /^cp /' "$package/docs/windows.md")
if [[ $(wc -l <<<"$lines") -ne 4 ]]; then
  echo "docs/windows.md has no four lines that make hello_hip" >&2
  exit 1
fi
(cd "$package/examples/hello_hip" && bash -euxc "$lines")
# The same sources for Linux, to compare with.
if [[ $here/posting.cpp -nt $build/windows/posting ]]; then
  c++ -D__HIP_PLATFORM_AMD__ -O1 -std=c++20 -I"$build/examples" "$here/posting.cpp" -lamdhip64 -o "$build/windows/posting"
fi
