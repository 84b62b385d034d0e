#!/usr/bin/env bash
# Runs fuzzers linked with libFuzzer, as many at a time as there are cores, from the inputs the targets make and those kept in
# corpus/; see README.md.
#   tests/fuzz/run.sh BUILD_DIR SECONDS NAME...
# A fuzzer that counts messages runs until there have been FUZZ_MESSAGES of them, however long that takes.
# What a crash needs is left in BUILD_DIR/found/NAME; new inputs that reached something go to BUILD_DIR/found/NAME/new.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR SECONDS NAME...}" && pwd)
seconds=${2:?}
shift 2

inputs() { # LOG: how many it ran
  sed -n 's/stat::number_of_executed_units: *//p' "$1"
}
messages() { # LOG: how many it says it sent; nothing when it does not count them
  sed -nE 's/^([0-9]+) messages$/\1/p' "$1" | tail -1
}
fuzz() { # NAME
  local found=$build/found/$1 sent=0 ran=0 round
  mkdir -p "$found/new" "$found/seeds"
  local folders=("$found/new" "$found/seeds")
  if [[ -d $here/corpus/$1 ]]; then folders+=("$here/corpus/$1"); fi
  for round in {1..60}; do
    if ! (cd "$found" && HIPR_FUZZ_SEEDS=$found/seeds timeout -k 5 $((seconds + 60)) "$build/bin/$1" -max_total_time="$seconds" -timeout=20 \
      -rss_limit_mb=4096 -print_final_stats=1 -close_fd_mask=2 -artifact_prefix="$found/" "${folders[@]}" >log 2>&1) || [[ $(inputs "$found/log") -eq 0 ]]; then
      echo "FAIL $1: $found/log"
      grep -aE 'ERROR: |SUMMARY: |runtime error:|Test unit written' "$found/log" | head -8 | sed 's/^/     /'
      return
    fi
    ran=$((ran + $(inputs "$found/log")))
    if [[ -z $(messages "$found/log") ]]; then break; fi
    sent=$((sent + $(messages "$found/log")))
    if [[ $sent -ge ${FUZZ_MESSAGES:-0} ]]; then break; fi
  done
  if [[ -n $(messages "$found/log") && $sent -lt ${FUZZ_MESSAGES:-0} ]]; then
    echo "FAIL $1: only $sent of $FUZZ_MESSAGES messages"
    return
  fi
  echo "ok $1: $(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9/]+' "$found/log" | tail -1), $ran inputs$([[ $sent -eq 0 ]] || echo ", $sent messages")"
}

results=$(mktemp)
trap 'rm -f "$results"' EXIT
for name in "$@"; do
  while [[ $(jobs -rp | wc -l) -ge $(nproc) ]]; do wait -n; done
  fuzz "$name" >"$results.$name" &
done
wait
for name in "$@"; do
  cat "$results.$name" >>"$results"
  rm -f "$results.$name"
done
cat "$results"
failed=$(grep -c '^FAIL ' "$results")
echo "$(grep -c '^ok ' "$results") passed, $failed failed"
[[ $failed -eq 0 ]]
