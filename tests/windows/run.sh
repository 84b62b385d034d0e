#!/usr/bin/env bash
# Runs what tests/windows/build.sh made under Wine, through workers on 127.0.0.1, and compares with Linux.
#   tests/windows/run.sh BUILD_DIR
# Checked: exports of the DLLs and what they need; unit tests of what differs between systems, golden bytes of all messages among
# them; the conformance programs, whose results must be those of the Linux programs on softgpu directly; the examples; ways to
# exit; threads; the tools; a worker that is killed; round trips, which must be as many as on Linux.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR}" && pwd)
windows=$build/windows programs=$build/windows/programs logs=$build/windows/logs
package=$windows/hello_hip/hip-remote-windows-x86_64
mkdir -p "$logs"
WINE=$(command -v wine64 || echo /usr/lib/wine/wine64)
export WINE WINEDEBUG=-all WINEPREFIX=$windows/wine WINEDLLOVERRIDES='mscoree,mshtml='
export HIP_REMOTE_SOFTGPU=gfx90ax2 HIP_REMOTE_TRANSPORT=tcp # the only one Windows has
# shellcheck source=scripts/worker.sh
source "$root/scripts/worker.sh"
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@"; then ok; else bad "$name"; fi
}
# A program under Wine, its lines as Linux has them.
run() { # LOG PROGRAM [ARGUMENT...]
  local log=$1 code=0
  shift
  TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$worker_port timeout -k 5 "${TIMEOUT:-120}" "$WINE" "$@" >"$log.raw" 2>&1 </dev/null || code=$?
  tr -d '\r' <"$log.raw" >"$log"
  return "$code"
}
on_linux() { # PROGRAM [ARGUMENT...]
  LD_LIBRARY_PATH=$build/lib TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$worker_port "$@" 2>&1
}

# --- the files
exports() { x86_64-w64-mingw32-objdump -p "$1" | awk '/^\[Ordinal\/Name Pointer\]/ { on = 1; next } on && NF == 0 { exit } on { print $NF }' | LC_ALL=C sort; }
needs() { x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/.*DLL Name: //p'; }
for dll in "$windows"/bin/amdhip64*.dll; do
  check "exports of $(basename "$dll")" diff -u "$root/tests/abi_exports/amdhip64_7.dll.txt" <(exports "$dll")
done
check "exports of amd_smi.dll" diff -u <(cut -d' ' -f1 "$root/tests/smi/libamd_smi.so.27.txt" | LC_ALL=C sort) <(exports "$windows/bin/amd_smi.dll")
# What a file needs must be on every Windows.
for file in "$windows"/bin/*.dll "$windows"/bin/*.exe; do
  others=$(needs "$file" | grep -viE '^(kernel32|msvcrt|ws2_32|bcrypt|advapi32|user32|ntdll)\.dll$|^api-ms-win' || true)
  if [[ -z $others ]]; then ok; else bad "$(basename "$file") needs $others"; fi
done
for file in install.ps1 bin/hip-remote.exe bin/smi-remote.exe bin/amd_smi.dll bin/amdsmi-remote.dll lib/amdhip64.lib include/hip_remote/hip.h docs/windows.md \
  examples/hello_hip/build.bat; do
  check "the package has $file" test -e "$package/$file"
done

# One server for all, with an output of its own: it tells of what it finds left when it ends.
wineserver=$(command -v wineserver || echo /usr/lib/wine/wineserver)
mkdir -p "$WINEPREFIX"
"$wineserver" -p >"$logs/wineserver" 2>&1
trap 'stop_worker; "$wineserver" -k' EXIT
start_worker "$build" "$logs/worker.log" || exit 1
run "$logs/first" "$windows/bin/hip-remote.exe" --version || { cat "$logs/first"; echo "Wine does not run"; exit 1; }

# --- unit tests: the system's half of platform/, and every message's bytes as Linux writes them
for test in "$windows"/bin/*_test.exe; do
  [[ -e $test ]] || continue
  name=$(basename "$test" .exe)
  if run "$logs/$name" "$test"; then ok; else bad "$name: $(grep -E '^\[  FAILED  \]' "$logs/$name" | head -3 | tr '\n' ' ')"; fi
done

# --- programs
(unset HIP_REMOTE_SOFTGPU HIP_REMOTE_TRANSPORT; run "$logs/hello_hip" "$package/examples/hello_hip/hello_hip.exe") || bad "hello_hip: status $?"
check "hello_hip prints what it prints on Linux" diff <(on_linux "$build/examples/hello_hip") "$logs/hello_hip"
plain() { sed -E 's/[0-9.]+ (ms|GB\/s|GFLOPS)/T \1/g' "$1"; }
for program in "$programs"/examples/*.exe; do
  name=$(basename "$program" .exe)
  run "$logs/example_$name" "$program" || bad "example $name: status $?"
  on_linux "$build/examples/$name" >"$logs/example_$name.linux"
  check "example $name prints what it prints on Linux" diff <(plain "$logs/example_$name.linux") <(plain "$logs/example_$name")
done
# A worker keeps the session of a client that it has lost for a minute, memory and all; one that said goodbye ends at once.
no_sessions() { for _ in $(seq 200); do if ! grep -qs "^PPid:[[:space:]]$worker_pid\$" /proc/[0-9]*/status; then return 0; fi; sleep 0.1; done; return 1; }
check "sessions end with their programs" no_sessions
for way in return:40 exit:41 ExitProcess:42 TerminateProcess:43 _exit:44 thread:45 waiting:46 unload:47; do
  for again in 1 2 3; do # threads are ended wherever they happen to be
    TIMEOUT=30 run "$logs/exit_${way%:*}" "$programs/tests/exit.exe" "${way%:*}"
    code=$?
    if [[ $code -eq ${way#*:} && ! -s $logs/exit_${way%:*} ]]; then ok; else bad "exit by ${way%:*}, attempt $again: status $code; $(head -2 "$logs/exit_${way%:*}")"; fi
  done
done
check "threads" run "$logs/threads" "$programs/tests/threads_at_exit.exe"

# --- tools, out of the package
check "hip-remote info" run "$logs/info" "$package/bin/hip-remote.exe" info
check "hip-remote info shows the GPU" grep -q 'Software GPU (gfx90a)' "$logs/info"
check "hip-remote run" run "$logs/run" "$package/bin/hip-remote.exe" run --worker "127.0.0.1:$worker_port" -- "$package/examples/hello_hip/hello_hip.exe"
check "hip-remote run passes the output on" grep -q 'PASSED: all 1024 elements' "$logs/run"
for command in list metrics info power processes topology "watch -n 2 -i 0.2"; do
  # shellcheck disable=SC2086
  check "smi-remote $command" run "$logs/smi" "$package/bin/smi-remote.exe" --host "127.0.0.1:$worker_port" $command
done
run "$logs/smi_list" "$package/bin/smi-remote.exe" --host "127.0.0.1:$worker_port" list
check "smi-remote list is that of Linux" diff <("$build/bin/smi-remote" --host "127.0.0.1:$worker_port" list) "$logs/smi_list"

if HIP_REMOTE_TLS=1 HIP_REMOTE_TOKEN="only for this test" run "$logs/no_tls" "$package/bin/hip-remote.exe" info; then bad "a connection that needs TLS succeeded"; else ok; fi
check "without TLS the client says so, and what to do" grep -q 'built without TLS.*ssh -N -L' "$logs/no_tls"

# --- what waiting costs: counted by the client itself
trips() { sed -nE 's/.*(posted=[0-9]+ waited=[0-9]+).*/\1/p' "$1"; }
same_trips() { # NAME LINUX_PROGRAM WINDOWS_PROGRAM
  local stats=$logs/stats_$1
  rm -f "$stats" "$stats.linux"
  # Whether data is named first depends on how fast the line seems to be.
  HIP_REMOTE_DATA_CACHE=off HIP_REMOTE_STATS=$stats run "$logs/$1" "$3"
  HIP_REMOTE_DATA_CACHE=off HIP_REMOTE_STATS=$stats.linux on_linux "$2" >"$logs/$1.linux"
  check "round trips of $1: '$(trips "$stats")', on Linux '$(trips "$stats.linux")'" \
    test -n "$(trips "$stats")" -a "$(trips "$stats")" = "$(trips "$stats.linux")"
}
same_trips vector_add "$build/examples/vector_add" "$programs/examples/vector_add.exe"
same_trips posting "$windows/posting" "$programs/tests/posting.exe"
# What it costs is what a batch takes that nothing else on the machine interrupts; a busy machine takes some attempts to have one.
cheap_posting() {
  local fastest
  for _ in 1 2 3 4 5 6 7 8; do
    echo "Wine:  $(cat "$logs/posting")"
    fastest=$(sed -nE 's/.*fastest batch ([0-9]+) ns.*/\1/p' "$logs/posting")
    if [[ ${fastest:-301} -le 300 ]]; then return 0; fi
    run "$logs/posting" "$programs/tests/posting.exe" || return 1
  done
  return 1
}
echo "Linux: $(cat "$logs/posting.linux")"
check "a launch is posted in at most 300 ns" cheap_posting

# --- the worker dies under a program: the program is told, and goes on when there is another at the same address
port=$worker_port
TIMEOUT=100 run "$logs/killed" "$programs/tests/killed.exe" &
victim=$!
said() { for _ in $(seq 300); do if grep -q "^$1" "$logs/killed.raw" 2>/dev/null; then return 0; fi; sleep 0.1; done; return 1; }
check "a program whose worker will die starts" said ready
stop_worker
check "a program whose worker died is told" said told
start_worker "$build" "$logs/worker2.log" -p "$port" || exit 1
wait "$victim"
check "it works again after a reset" grep -q '^works hipSuccess' "$logs/killed"
check "nothing succeeded in between" grep -qE '^told hipError' "$logs/killed"
stop_worker

# --- the connection is cut, again and again: the session goes on, and the program has the results of Linux
for name in memcpy_1d host_memory stream threads; do
  start_worker "$build" "$logs/worker_cut.log" || exit 1
  : >"$logs/cuts"
  "$here/cutting_relay.py" "$worker_port" "$logs/cuts" &
  relay=$!
  for _ in $(seq 100); do if grep -q ^port "$logs/cuts"; then break; fi; sleep 0.1; done
  worker_port=$(sed -n 's/^port //p' "$logs/cuts") run "$logs/cut_$name" "$programs/$name.exe"
  check "$name with cuts: status $?" test $? -eq 0
  kill "$relay"
  wait "$relay" 2>/dev/null
  stop_worker
  check "$name: $(grep -c ^cut "$logs/cuts") cuts" test "$(grep -c ^cut "$logs/cuts")" -gt 0
  LD_LIBRARY_PATH=$build/lib/softgpu "$build/conformance/$name" >"$logs/cut_$name.linux" 2>&1
  check "$name with cuts has the results of Linux" diff <(grep ^result "$logs/cut_$name.linux") <(grep ^result "$logs/cut_$name")
done

# --- conformance
MODES="direct windows" VARIANT=windows "$root/tests/conformance/run.sh" "$build" | tee "$logs/conformance"
read -r p f < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$logs/conformance" | tail -1)
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
# The share of what Linux runs is a promise: below it the part fails.
on_linux_cases=$(cat "$build"/conformance/logs-windows/*.direct | grep -c '^ok ')
here_cases=$(cat "$build"/conformance/logs-windows/*.windows | grep -c '^ok ')
echo "$here_cases of $on_linux_cases conformance cases passed under Wine"
check "at least 90 % of the conformance cases" test "$on_linux_cases" -gt 0 -a $((here_cases * 100)) -ge $((on_linux_cases * 90))
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
