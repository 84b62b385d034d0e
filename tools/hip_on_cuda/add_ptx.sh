#!/usr/bin/env bash
# Adds PTX to an AMD code object, where hip_on_cuda looks for it.
#   add_ptx.sh CODE_OBJECT PTX OUT
set -euo pipefail
if [[ $# -ne 3 ]]; then
  echo "usage: add_ptx.sh CODE_OBJECT PTX OUT" >&2
  exit 2
fi
read -r objcopy < <(command -v llvm-objcopy-{19,20,18,17} llvm-objcopy) || {
  echo "add_ptx.sh: needs llvm-objcopy (Debian: llvm-19)" >&2
  exit 1
}
"$objcopy" --add-section=.hip_on_cuda.ptx="$2" "$1" "$3"
