#!/bin/bash
# Every instruction of the GPU code in some files, printed by our decoder, must read as llvm-objdump-19 prints it.
#
#   objdump.sh BIN [--at-most N] [--gpu NAME] FILE...   BIN: where compare_listing and code_objects are
#
# FILE is a program, a library, a code object, or a HIP source, which is compiled. --at-most takes about that many code
# objects of a file. A file that is not there is left out; without any the script ends with 77.
set -u
bin=$1 gpu=gfx90a most=1000000 checked=0 failed=0
shift
for tool in llvm-objdump-19 clang++-19; do
  command -v $tool >/dev/null || { echo "objdump.sh: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compare() { # FILE
  local objects=$work/objects count
  rm -rf "$objects" && mkdir "$objects"
  "$bin/code_objects" $gpu "$objects" $most "$1" >/dev/null || return 1
  count=$(ls "$objects" | wc -l)
  [ "$count" -gt 0 ] || { echo "$1: no code for $gpu"; return 1; }
  (cd "$objects" && ls | sort -n | xargs llvm-objdump-19 -d) | "$bin/compare_listing" $gpu >"$work/result"
  local status=$?
  sed '$d' "$work/result" | head -40
  echo "$1: $(tail -1 "$work/result")"
  return $status
}

compile() { # SOURCE: all levels of optimisation have their own habits; code for gfx942 needs no library of the device
  local level
  for level in 0 2; do
    clang++-19 -w -x hip --offload-arch=$gpu -nogpulib -nogpuinc -O$level --cuda-device-only --no-gpu-bundle-output \
      "$1" -o "$work/$(basename "$1").O$level" && compare "$work/$(basename "$1").O$level" || return 1
  done
}

while [ $# -gt 0 ]; do
  case $1 in
    --at-most) most=$2; shift ;;
    --gpu) gpu=$2; shift ;;
    *.hip) checked=$((checked + 1)); compile "$1" || failed=$((failed + 1)) ;;
    *) if [ -e "$1" ]; then checked=$((checked + 1)); compare "$1" || failed=$((failed + 1)); fi ;;
  esac
  shift
done
[ $checked -gt 0 ] || exit 77
[ $failed = 0 ]
