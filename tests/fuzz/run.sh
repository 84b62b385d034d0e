#!/usr/bin/env bash
# Runs fuzzers linked with libFuzzer, as many at a time as there are cores, from the inputs the targets make and those kept in
# corpus/; see README.md.
#   tests/fuzz/run.sh BUILD_DIR SECONDS NAME...
# What a crash needs is left in BUILD_DIR/found/NAME; new inputs that reached something go to BUILD_DIR/found/NAME/new.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR SECONDS NAME...}" && pwd)
seconds=${2:?}
shift 2

inputs() { # LOG: how many it ran
  sed -n 's/stat::number_of_executed_units: *//p' "$1"
}
fuzz() { # NAME
  local found=$build/found/$1
  mkdir -p "$found/new" "$found/seeds"
  local folders=("$found/new" "$found/seeds")
  if [[ -d $here/corpus/$1 ]]; then folders+=("$here/corpus/$1"); fi
  if (cd "$found" && HIPR_FUZZ_SEEDS=$found/seeds timeout -k 5 $((seconds + 60)) "$build/bin/$1" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=4096 -print_final_stats=1 -close_fd_mask=2 -artifact_prefix="$found/" "${folders[@]}" >log 2>&1) && [[ $(inputs "$found/log") -gt 0 ]]; then
    echo "ok $1: $(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9/]+' "$found/log" | tail -1), $(inputs "$found/log") inputs"
  else
    echo "FAIL $1: $found/log"
    grep -aE 'ERROR: |SUMMARY: |runtime error:|Test unit written' "$found/log" | head -8 | sed 's/^/     /'
  fi
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
