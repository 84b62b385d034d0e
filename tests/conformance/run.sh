#!/usr/bin/env bash
# Runs every test program below PROGRAM_DIR twice, directly on softgpu and through a worker on 127.0.0.1, and compares results.
#   tests/conformance/run.sh BUILD_DIR [PROGRAM_DIR [FILTER...]]     PROGRAM_DIR is BUILD_DIR/conformance unless given;
# a FILTER is a part of a program's name. Variables: MODES="direct" or "remote" runs only that one; SKIP is a pattern of
# programs to leave out; TIMEOUT (120) is in seconds; PRELOAD is loaded into the programs (a sanitizer's library); PLAIN=1 is
# for programs that know nothing of check.h: a zero exit status is one passed test, and all they print but times is their result.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR [PROGRAM_DIR [FILTER...]]}" && pwd)
programs=$(cd "${2:-$build/conformance}" && pwd)
shift $(($# < 2 ? $# : 2))
logs=$programs/logs
modes=${MODES:-direct remote}
export HIP_REMOTE_SOFTGPU=${HIP_REMOTE_SOFTGPU:-gfx90ax2} # two devices, so that peers are tested too
mkdir -p "$logs"
# shellcheck source=scripts/worker.sh
source "$here/../../scripts/worker.sh"

wanted() { # NAME FILTER...
  local name=$1 part
  shift
  # shellcheck disable=SC2053
  if [[ -n ${SKIP:-} && $name == $SKIP ]]; then return 1; fi
  for part in "$@"; do if [[ $name == *"$part"* ]]; then return 0; fi; done
  return $(($# > 0))
}

run() { # MODE NAME: runs the program; its output goes to logs/NAME.MODE
  local log=$logs/${2//\//_}.$1 code=0
  if [[ $1 == direct ]]; then
    timeout -k 5 "${TIMEOUT:-120}" env LD_PRELOAD="${PRELOAD:-}" LD_LIBRARY_PATH="$build/lib/softgpu" \
      "$programs/$2" >"$log" 2>&1 || code=$?
  else
    timeout -k 5 "${TIMEOUT:-120}" env LD_PRELOAD="${PRELOAD:-}" LD_LIBRARY_PATH="$build/lib" TF_WORKER_HOST=127.0.0.1 \
      TF_WORKER_PORT="$worker_port" "$programs/$2" >"$log" 2>&1 || code=$?
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
}

count() { grep -cE "^$1 " "$2"; }

if [[ $modes == *remote* ]]; then
  trap stop_worker EXIT
  start_worker "$build" "$logs/worker.log" || exit 1
fi
passed=0 failed=0 broken=()
: >"$logs/skipped"
printf '%-34s %-18s %-18s %s\n' program direct remote results
while read -r program; do
  if ! wanted "$program" "$@"; then continue; fi
  cells=()
  for mode in direct remote; do
    if [[ $modes != *$mode* ]]; then
      cells+=(-)
      continue
    fi
    run "$mode" "$program"
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
  if [[ $modes == "direct remote" ]]; then
    if diff <(grep ^result "$logs/${program//\//_}.direct") <(grep ^result "$logs/${program//\//_}.remote") >"$logs/${program//\//_}.diff"; then
      same=same
    else
      same=DIFFERENT failed=$((failed + 1))
      broken+=("$logs/${program//\//_}.diff")
    fi
  fi
  printf '%-34s %-18s %-18s %s\n' "$program" "${cells[@]}" "$same"
done < <(cd "$programs" && find . -type f -perm -u+x ! -path './modules/*' ! -path './logs/*' ! -path './bitcode/*' | sed 's|^\./||' | sort)

stop_worker
if [[ $modes == *remote* ]] && grep -qE 'Sanitizer|runtime error:' "$logs/worker.log"; then
  failed=$((failed + 1))
  broken+=("$logs/worker.log")
fi
for log in "${broken[@]}"; do
  printf '\n%s\n' "$log"
  grep -E '^(FAIL|[<>]) |Sanitizer|runtime error:' "$log" | head -12
done
cat "$logs/skipped"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
