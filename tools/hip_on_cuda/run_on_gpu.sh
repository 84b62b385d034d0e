#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: native_bench directly on the driver and through a worker, then conformance programs
# through the worker, whose results must be those that softgpu gives. Nothing is built here; pack.sh brings what is needed.
#   run_on_gpu.sh [BUILD_DIR [PROGRAM...]]      BUILD_DIR is two folders up from here, /build, unless given
# Variables: TIMEOUT (60) seconds for each program; LOGS a folder for all output; PARTS="bench conformance" which to run.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
shift $(($# < 1 ? $# : 1))
logs=${LOGS:-$(mktemp -d)}
parts=${PARTS:-bench conformance}
runtime=$build/lib/hip_on_cuda/libamdhip64.so.7
kernels=$build/lib/hip_on_cuda/kernels.hsaco
programs=$build/hip_on_cuda_conformance
passed=0 failed=0
mkdir -p "$logs"
# shellcheck source=scripts/worker.sh
source "$here/../../scripts/worker.sh"

limited() { timeout -k 5 "${TIMEOUT:-60}" "$@"; }
remotely() { TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$worker_port limited "$@"; }
verdict() { # NAME OK: counts it, and says so when it is not well
  if [[ $2 == yes ]]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $1"; fi
}

results() { grep '^result ' "$1" | grep -v ' flags_and_priorities '; } # which priorities there are is the device's own

bench() { # NAME COMMAND...
  local name=$1 ok=no
  shift
  if "$@" "$kernels" >"$logs/bench.$name.json" 2>"$logs/bench.$name.log"; then ok=yes; else cat "$logs/bench.$name.log"; fi
  verdict "bench $name" $ok
}

conformance() { # PROGRAM
  local name=$1 code=0 ok bad same=same
  LD_LIBRARY_PATH=$build/lib/softgpu limited "$programs/$name" >"$logs/$name.softgpu" 2>&1
  LD_LIBRARY_PATH=$build/lib remotely "$programs/$name" >"$logs/$name.gpu" 2>&1 || code=$?
  ok=$(grep -c '^ok ' "$logs/$name.gpu") bad=$(grep '^FAIL ' "$logs/$name.gpu" | cut -d: -f1 | sort -u | wc -l)
  if ! grep -qE '^[0-9]+ passed, [0-9]+ failed' "$logs/$name.gpu"; then
    bad=$((bad + 1))
    echo "FAIL $name: ended with status $code before its last test" >>"$logs/$name.gpu"
  fi
  # A test that failed has no result; whether it did is counted above.
  if ! diff <(results "$logs/$name.softgpu") <(results "$logs/$name.gpu") >"$logs/$name.diff"; then
    if grep -q '^>' "$logs/$name.diff" || [[ $bad -eq 0 ]]; then same=DIFFERENT bad=$((bad + 1)); fi
  fi
  passed=$((passed + ok)) failed=$((failed + bad))
  printf '%-20s softgpu: %-22s GPU: %-22s results %s\n' "$name" "$(tail -1 "$logs/$name.softgpu")" \
    "$(grep -E '^[0-9]+ passed' "$logs/$name.gpu" || echo none)" $same
  grep '^FAIL ' "$logs/$name.gpu" | head -6
}

trap stop_worker EXIT
if [[ $parts == *bench* ]]; then bench direct limited "$build/bin/native_bench" "$runtime"; fi
start_worker "$build" "$logs/worker.log" --runtime "$runtime" || exit 1
grep -E 'Device:|Target:' "$logs/worker.log"
if [[ $parts == *bench* ]]; then bench remote remotely "$build/bin/native_bench" "$build/lib/libamdhip64.so.7"; fi
if [[ $parts == *conformance* ]]; then
  if [[ $# -eq 0 ]]; then mapfile -t names < <(find "$programs" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort); else names=("$@"); fi
  for name in "${names[@]}"; do conformance "$name"; done
fi
stop_worker
grep -v '^\[HIP-Worker\]' "$logs/worker.log" | sort | uniq -c | sort -rn | head -12
if [[ $parts == *bench* ]]; then
  printf '{"direct": %s,\n"remote": %s}\n' "$(cat "$logs/bench.direct.json")" "$(cat "$logs/bench.remote.json")"
fi
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
