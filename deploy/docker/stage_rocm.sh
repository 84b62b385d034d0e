#!/bin/sh
# Copies libraries of a ROCm installation, and what they need of it, to where they are expected: the rest of ROCm (compilers,
# mathematics, headers: tens of gigabytes) is nothing that a worker or a provider loads.
#   stage_rocm.sh ROCM DESTINATION LIBRARY...     LIBRARY: a file name in ROCM/lib, e.g. libamdhip64.so.7; -NAME: if there is one
# What is found nowhere in ROCM belongs to the system and is left to it. Needs readelf.
set -eu
rocm=$(cd "$1" && pwd -P) destination=$2
shift 2
find_library() { # NAME: its path below ROCM
  for folder in lib lib64 lib/rocm_sysdeps/lib lib/llvm/lib; do
    if [ -e "$rocm/$folder/$1" ]; then echo "$folder/$1"; return; fi
  done
}
copy() { # PATH below ROCM: the file, and the links that lead to it, at the same place
  while :; do
    if [ -e "$destination/$1" ]; then return; fi
    mkdir -p "$destination/$(dirname "$1")"
    cp -P "$rocm/$1" "$destination/$1"
    if [ ! -L "$rocm/$1" ]; then break; fi
    set -- "$(realpath --no-symlinks --relative-to="$rocm" "$(dirname "$rocm/$1")/$(readlink "$rocm/$1")")"
  done
  for needed in $(readelf -d "$rocm/$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    found=$(find_library "$needed")
    if [ -n "$found" ]; then (copy "$found"); fi
  done
}
for library; do
  name=${library#-}
  found=$(find_library "$name")
  if [ -n "$found" ]; then
    copy "$found"
  elif [ "$name" = "$library" ]; then
    echo "there is no $name in $rocm" >&2
    exit 1
  fi
done
