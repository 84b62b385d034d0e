#!/usr/bin/env bash
# Prints the folder of ROCm's device libraries, which clang links kernels with; nothing where they are not installed.
# Debian and Ubuntu have it in different places.
for file in /usr/lib/*/amdgcn/bitcode/ockl.bc /usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode/ockl.bc \
  /usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode/ockl.bc; do
  if [[ -e $file ]]; then
    dirname "$file"
    break
  fi
done
