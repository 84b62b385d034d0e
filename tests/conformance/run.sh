#!/usr/bin/env bash
# Runs every test program below PROGRAM_DIR twice at a time, directly on softgpu and through a worker on 127.0.0.1, and compares results.
#   tests/conformance/run.sh BUILD_DIR [PROGRAM_DIR [FILTER...]]     PROGRAM_DIR is BUILD_DIR/conformance unless given;
# a FILTER is a part of a program's name. Variables: MODES="direct" or "remote" runs only that one; SKIP is a pattern of
# programs to leave out; TIMEOUT (120) is in seconds; PRELOAD is loaded into the programs (a sanitizer's library); PLAIN=1 is
# for programs that know nothing of check.h: a zero exit status is one passed test, and all they print but times is their result.
# For another kind of device: DEVICE_ENV ("NAME=VALUE ...") makes it in the worker, and in MODES="direct device remote", where
# "device" runs on it directly; WORKER_ENV is for the worker alone; VARIANT names the logs, and its line is what KNOWN, a
# file of lines "VARIANT MODE PROGRAM TEST reason", says cannot pass there: such a test must fail. WORKERS (1) are so many workers,
# whose devices make one row, each with WORKER_OPTIONS; HIP_REMOTE_SOFTGPU then names the devices of each of them, and DIRECT_SOFTGPU those of "direct".
# MODES="direct windows" runs what tests/windows/build.sh made of the programs under Wine (WINE), through a worker; those it left
# out run directly only, and count.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR [PROGRAM_DIR [FILTER...]]}" && pwd)
programs=$(cd "${2:-$build/conformance}" && pwd)
shift $(($# < 2 ? $# : 2))
logs=$programs/logs${VARIANT:+-$VARIANT}
modes=${MODES:-direct remote}
WORKER_ENV="${DEVICE_ENV:-} ${WORKER_ENV:-}"
export HIP_REMOTE_TRANSPORT=${HIP_REMOTE_TRANSPORT:-tcp} # as between machines
export HIP_REMOTE_SOFTGPU=${HIP_REMOTE_SOFTGPU:-gfx90ax2} # two devices, so that peers are tested too
mkdir -p "$logs"
# shellcheck source=scripts/worker.sh
source "$here/../../scripts/worker.sh"

wanted() { # NAME FILTER...
  local name=$1 part
  shift
  # shellcheck disable=SC2053
  if [[ -n ${SKIP:-} && $name == $SKIP ]]; then return 1; fi
  if [[ $name == near_* && $HIP_REMOTE_TRANSPORT != shm ]]; then return 1; fi
  if [[ $name == image_none && $HIP_REMOTE_SOFTGPU != gfx942* ]]; then return 1; fi # gfx90a has images
  for part in "$@"; do if [[ $name == *"$part"* ]]; then return 0; fi; done
  return $(($# > 0))
}

run() { # MODE NAME: runs the program; its output goes to logs/NAME.MODE
  local log=$logs/${2//\//_}.$1 code=0 device='' test ordinary=$programs/logs/${2//\//_}.direct
  # What a device is compared with need not run again for each kind of device.
  if [[ $1 == direct && $ordinary != "$log" && -z ${DIRECT_SOFTGPU:-} && $ordinary -nt $programs/$2 && $ordinary -nt $build/lib/softgpu/libamdhip64.so.7 ]]; then
    cp "$ordinary" "$log"
    return
  fi
  if [[ $1 == device ]]; then device=${DEVICE_ENV:-}; fi
  if [[ $1 == direct && -n ${DIRECT_SOFTGPU:-} ]]; then device=HIP_REMOTE_SOFTGPU=$DIRECT_SOFTGPU; fi
  if [[ $1 == windows ]]; then
    timeout -k 5 "${TIMEOUT:-120}" env TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT="$worker_port" \
      "$WINE" "$build/windows/programs/$2.exe" >"$log.raw" 2>&1 </dev/null || code=$?
    tr -d '\r' <"$log.raw" >"$log"
  elif [[ $1 != remote ]]; then
    # shellcheck disable=SC2086
    timeout -k 5 "${TIMEOUT:-120}" env $device LD_PRELOAD="${PRELOAD:-}" LD_LIBRARY_PATH="$build/lib/softgpu" \
      "$programs/$2" >"$log" 2>&1 || code=$?
  else
    timeout -k 5 "${TIMEOUT:-120}" env LD_PRELOAD="${PRELOAD:-}" LD_LIBRARY_PATH="$build/lib" TF_WORKER_HOST="$hosts" \
      HIP_REMOTE_WORKERS="$how" "$programs/$2" >"$log" 2>&1 || code=$?
  fi
  if [[ $code -eq 124 || $code -eq 137 ]]; then
    echo "FAIL $2: $1: stopped after ${TIMEOUT:-120} s" >>"$log"
  elif [[ -n ${PLAIN:-} ]]; then
    sed -i -E "s/[0-9.]+ ms/T ms/; s/^/result /" "$log"
    if [[ $code -eq 0 ]]; then echo "ok $2" >>"$log"; else echo "FAIL $2: $1: status $code" >>"$log"; fi
  elif ! grep -qE '^[0-9]+ passed, [0-9]+ failed' "$log"; then
    echo "FAIL $2: $1: ended with status $code before its last test" >>"$log"
  elif [[ $code -ne 0 ]] && ! grep -q '^FAIL ' "$log"; then
    echo "FAIL $2: $1: all tests passed, but the exit status is $code" >>"$log"
  fi
  for test in $(known "$1" "$2"); do
    if grep -q "^FAIL $test:" "$log"; then
      sed -i "s/^FAIL $test:/known $test:/" "$log"
    else
      echo "FAIL $test: $1: did not fail, though $KNOWN says it must" >>"$log"
    fi
  done
}

possible() { # MODE NAME: the program can run so
  [[ $modes == *$1* && ($1 != windows || -e $build/windows/programs/$2.exe) ]]
}

known() { # MODE NAME: the tests of the program that cannot pass
  if [[ -z ${KNOWN:-} ]]; then return; fi
  awk -v variant="${VARIANT:-}" -v mode="$1" -v program="$2" \
    '!/^#/ && ($1 == variant || $1 == "*") && ($2 == mode || $2 == "*" && mode != "direct") && $3 == program { print $4 }' "$KNOWN"
}

results() { # MODE NAME OTHER_MODE: what to compare; tests that cannot pass in the other mode have nothing to show
  grep ^result "$logs/${2//\//_}.$1" | grep -vwFf <(known "$3" "$2" | sed 's/^/result /') || true
}

workers=() hosts='' how=any
read -ra options <<<"${WORKER_OPTIONS:-}"
if [[ ${WORKERS:-1} -gt 1 ]]; then how=all; fi
stop_workers() {
  for worker_pid in "${workers[@]}"; do stop_worker; done
  workers=()
}

count() { grep -cE "^$1 " "$2"; }

if [[ $modes == *remote* || $modes == *windows* ]]; then
  trap stop_workers EXIT
  rm -f "$logs"/worker*.log
  for i in $(seq "${WORKERS:-1}"); do
    : >"$logs/worker$i.log"
    start_worker "$build" "$logs/worker$i.log" "${options[@]}" || exit 1
    workers+=("$worker_pid")
    hosts+=${hosts:+,}127.0.0.1:$worker_port
  done
fi
passed=0 failed=0 broken=()
if [[ $modes == *windows* ]]; then rm -f "$logs"/*.{direct,windows}; fi # of programs that have gone
: >"$logs/skipped"
read -ra columns <<<"${modes/#remote/direct remote}" # the one column that is always there shows what was not run
printf '%-34s' program
printf ' %-18s' "${columns[@]}"
echo ' results'
while read -r program; do
  if ! wanted "$program" "$@"; then continue; fi
  cells=() runs=()
  for mode in "${columns[@]}"; do # all at a time: most programs wait more than they compute
    if possible "$mode" "$program"; then
      run "$mode" "$program" &
      runs+=($!)
    fi
  done
  for pid in "${runs[@]}"; do wait "$pid"; done # and not for the worker
  for mode in "${columns[@]}"; do
    if ! possible "$mode" "$program"; then
      cells+=("$([[ $modes == *$mode* ]] && echo not built || echo -)")
      continue
    fi
    log=$logs/${program//\//_}.$mode
    ok=$(count ok "$log") bad=$(grep -E '^FAIL ' "$log" | cut -d: -f1 | sort -u | wc -l)
    passed=$((passed + ok)) failed=$((failed + bad))
    sed -nE "s/^skip /skipped $mode /p" "$log" >>"$logs/skipped"
    if [[ $bad -gt 0 ]]; then
      broken+=("$log")
      cells+=("$ok ok, $bad FAILED")
    else
      cells+=("$ok ok")
    fi
  done
  same=-
  for mode in ${modes#direct}; do
    if [[ $modes != direct* || ! -e $logs/${program//\//_}.$mode ]]; then continue; fi
    difference=$logs/${program//\//_}.$mode.diff
    if diff <(results direct "$program" "$mode") <(results "$mode" "$program" "$mode") >"$difference"; then
      if [[ $same == - ]]; then same=same; fi
    else
      same=DIFFERENT failed=$((failed + 1))
      broken+=("$difference")
    fi
  done
  printf '%-34s' "$program"
  printf ' %-18s' "${cells[@]}"
  echo " $same"
done < <(cd "$programs" && find . -type f -perm -u+x ! -path './modules/*' ! -path './logs*/*' ! -path './bitcode/*' | sed 's|^\./||' | sort)

stop_workers
if [[ $modes == *remote* || $modes == *windows* ]]; then
  for log in $(grep -lE 'Sanitizer|runtime error:|ended by signal' "$logs"/worker[0-9]*.log); do
    failed=$((failed + 1))
    broken+=("$log")
  done
fi
for log in "${broken[@]}"; do
  printf '\n%s\n' "$log"
  grep -E '^(FAIL|[<>]) |Sanitizer|runtime error:|ended by signal' "$log" | head -12
done
cat "$logs/skipped"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
