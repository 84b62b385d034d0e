#!/bin/bash
# Random C programs from csmith, compiled for the GPU and run by the interpreter, must give the checksum they give on
# this machine. Every seed that fails is named, with what it takes to see it again.
#
#   csmith.sh [options] FIRST-LAST...        seeds
#     --driver PATH    run_hsaco (default: run_hsaco on PATH)
#     --gpu NAME       gfx90a (default) or gfx942
#     --levels "0 2"   optimisation levels (default "0 1 2 3")
#     --lanes          64 divergent lanes instead of one
#     --float          with floating point, contraction off
#     --small          smaller programs, to try more of them in the same time
#     --keep DIR       leave programs of failing seeds there
#     --jobs N         seeds at a time (default 1)
#     --at-least N     fail when fewer seeds than that could be compared
#     --for SECONDS    start no seed after that, and finish within two minutes
set -u
here=$(cd "$(dirname "$0")" && pwd)
driver=run_hsaco gpu=gfx90a levels="0 1 2 3" lanes=1 generate="" keep="" jobs=1 least=1 limit=1000000 seeds=()
while [ $# -gt 0 ]; do
  case $1 in
    --driver) driver=$2; shift ;;
    --gpu) gpu=$2; shift ;;
    --levels) levels=$2; shift ;;
    --lanes) lanes=64 ;;
    --float) generate+=" --float" ;;
    --small) generate+=" --max-funcs 3 --max-block-depth 3" ;;
    --keep) keep=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --at-least) least=$2; shift ;;
    --for) limit=$2; shift ;;
    *-*) seeds+=($(seq "${1%-*}" "${1#*-}")) ;;
    *) seeds+=("$1") ;;
  esac
  shift
done
for tool in csmith clang-19 ld.lld-19 llvm-objdump-19; do
  command -v $tool >/dev/null || { echo "csmith.sh: $tool is not installed"; exit 77; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
common=(-w -ffp-contract=off "-I$here" -isystem /usr/include/csmith)
host_seconds=5 compile_seconds=40 device_seconds=40

# A global the lanes can differ in: the first plain integer.
lane_global() {
  sed -nE 's/^static u?int(8|16|32|64)_t (g_[0-9]+) = .*/\2/p' "$1" | head -1
}

compile() {  # source language flags, target flags..., output
  local out=${*: -1}
  set -- "${@:1:$#-1}"
  if [ $lanes = 64 ]; then
    timeout $compile_seconds clang-19 "${common[@]}" "$@" -x c++ -Wno-c++11-narrowing -fno-exceptions -fno-rtti -DPROGRAM="\"$dir/p.c\"" -DLANE_GLOBAL="$global" "$here/csmith_lanes.cpp" -o "$out"
  else
    timeout $compile_seconds clang-19 "${common[@]}" "$@" -x c -DPROGRAM="\"$dir/p.c\"" "$here/csmith_one.c" -o "$out"
  fi
}

# A loop that optimisation removes can be too long for the interpreter: then this machine needs a while too.
slow_here() { # -Olevel
  compile "$1" "$dir/slow" 2>/dev/null && ! (ulimit -s 65536; timeout 0.05 "$dir/slow" >/dev/null 2>&1)
}

# Prints one line: "ok", "skip WHY" or "FAIL WHAT".
one_seed() {
  local seed=$1 dir=$work/$1 global="" bad="" note="" equal=0 level problem status wrong
  mkdir "$dir"
  local language=""
  [ $lanes = 64 ] && language="--lang-cpp --no-bitfields"
  timeout 20 csmith --seed "$seed" --no-argc $generate $language -o "$dir/p.c" >/dev/null 2>&1 || { echo "skip $seed not generated"; return; }
  sed -i '/^#include <math.h>/d' "$dir/p.c"  # csmith.h has what is used of it
  if [ $lanes = 64 ]; then
    sed -i -E '/^static .*func_[0-9]+\(.*\);$/d' "$dir/p.c"  # members need no prototypes
    global=$(lane_global "$dir/p.c")
    [ -n "$global" ] || { echo "skip $seed no global to differ in"; return; }
  fi
  compile -O1 "$dir/host" 2>"$dir/host.err" || { echo "skip $seed does not compile on the host"; return; }
  (ulimit -s 65536; timeout $host_seconds "$dir/host" >"$dir/host.out" 2>/dev/null) || { echo "skip $seed does not end on the host"; return; }
  # Misaligned pointers (to members of packed structures) and conversions out of range mean something on this machine only.
  compile -O1 -fsanitize=alignment,float-cast-overflow -fsanitize-trap=all "$dir/checked" 2>/dev/null &&
    (ulimit -s 65536; timeout $host_seconds "$dir/checked" >/dev/null 2>&1) || { echo "skip $seed undefined behaviour"; return; }
  for level in $levels; do
    [ $SECONDS -lt $((limit + 40)) ] && compile "-O$level" -target amdgcn-amd-amdhsa -mcpu=$gpu -nogpulib -ffreestanding "$dir/d$level.hsaco" 2>"$dir/d$level.err" ||
      { note+=" -O$level:not-compiled"; continue; }  # the compiler's own failure, or its endless work
    problem=""
    timeout $device_seconds "$driver" "$dir/d$level.hsaco" csm_kernel $lanes >"$dir/d$level.out" 2>"$dir/d$level.err"
    status=$?
    if [ $status = 124 ] && slow_here "-O$level"; then
      note+=" -O$level:too-long"
      continue
    elif [ $status != 0 ]; then
      problem="$status ($(tail -1 "$dir/d$level.err"))"
    elif ! cmp -s "$dir/host.out" "$dir/d$level.out"; then
      problem="differs($(diff "$dir/host.out" "$dir/d$level.out" | grep -c '^<') of $lanes)"
    fi
    if [ -z "$problem" ]; then
      equal=$((equal + 1))
    elif ! llvm-objdump-19 -d "$dir/d$level.hsaco" | grep -q s_endpgm; then
      note+=" -O$level:has-no-end"  # clang found undefined behaviour: members that initialise each other, and left it there
    elif wrong=$(llvm-objdump-19 -d "$dir/d$level.hsaco" | awk -v entry=csm_kernel -f "$here/exec_saves.awk") && [ -n "$wrong" ]; then
      note+=" -O$level:compiled-wrongly($(echo "$wrong" | head -1))"
    else
      bad+=" -O$level:$problem"
    fi
  done
  if [ -n "$bad" ]; then
    echo "FAIL seed $seed $gpu lanes $lanes $generate$bad"
    [ -n "$keep" ] && mkdir -p "$keep" && cp -r "$dir" "$keep/"
  elif [ $equal = 0 ]; then
    echo "skip $seed$note"
  else
    echo "ok $seed$note"
  fi
  rm -rf "$dir"
}

running=0
for seed in "${seeds[@]}"; do
  [ $SECONDS -lt "$limit" ] || break
  one_seed "$seed" >"$work/$seed.log" &
  running=$((running + 1))
  [ $running -ge "$jobs" ] && { wait -n; running=$((running - 1)); }
done
wait
cat "$work"/*.log | grep -v '^ok [0-9]*$' | sort
passed=$(cat "$work"/*.log | grep -c '^ok')
skipped=$(cat "$work"/*.log | grep -c '^skip')
failed=$(cat "$work"/*.log | grep -c '^FAIL')
echo "csmith $gpu lanes $lanes levels $levels $generate: $passed equal, $failed failed, $skipped not comparable"
[ "$failed" = 0 ] && [ "$passed" -ge "$least" ]
