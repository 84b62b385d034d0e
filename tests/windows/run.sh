#!/usr/bin/env bash
# Runs what tests/windows/build.sh made under Wine, through a worker on 127.0.0.1, and compares with Linux.
#   tests/windows/run.sh BUILD_DIR [FILTER...]
# Checked: exports of the DLLs; the conformance programs, whose results must be those of the Linux programs on softgpu directly;
# the examples; ways to exit; the tools; a worker that is killed; round trips, which must be as many as on Linux.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR [FILTER...]}" && pwd)
shift
windows=$build/windows programs=$build/windows/programs logs=$build/windows/logs
mkdir -p "$logs"
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
export WINEDEBUG=-all WINEPREFIX=$windows/wine WINEDLLOVERRIDES='mscoree,mshtml='
export HIP_REMOTE_SOFTGPU=gfx90ax2
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
  TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$worker_port timeout -k 5 "${TIMEOUT:-120}" "$wine" "$@" >"$log.raw" 2>&1 </dev/null || code=$?
  tr -d '\r' <"$log.raw" >"$log"
  return "$code"
}
wanted() { # NAME FILTER...
  local name=$1 part
  shift
  for part in "$@"; do if [[ $name == *"$part"* ]]; then return 0; fi; done
  return $(($# > 0))
}

exports() { x86_64-w64-mingw32-objdump -p "$1" | awk '/^\[Ordinal\/Name Pointer\]/ { on = 1; next } on && NF == 0 { exit } on { print $NF }' | LC_ALL=C sort; }
for dll in amdhip64 amdhip64_6 amdhip64_7; do
  check "exports of $dll.dll" diff -u "$root/tests/abi_exports/amdhip64_7.dll.txt" <(exports "$windows/bin/$dll.dll")
done
check "exports of amd_smi.dll" diff -u <(cut -d' ' -f1 "$root/tests/smi/libamd_smi.so.27.txt" | LC_ALL=C sort) <(exports "$windows/bin/amd_smi.dll")
# What a DLL needs must be on every Windows.
needs() { x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/.*DLL Name: //p'; }
for file in "$windows"/bin/*.dll "$windows"/bin/*.exe; do
  others=$(needs "$file" | grep -viE '^(kernel32|msvcrt|ws2_32|bcrypt|advapi32|user32|ntdll)\.dll$|^api-ms-win' || true)
  if [[ -z $others ]]; then ok; else bad "$(basename "$file") needs $others"; fi
done

trap stop_worker EXIT
start_worker "$build" "$logs/worker.log" || exit 1
run "$logs/first" "$windows/bin/hip-remote.exe" --version || { cat "$logs/first"; echo "Wine does not run"; exit 1; }

compared=0 ran=0
while read -r program; do
  if ! wanted "$program" "$@"; then continue; fi
  log=$logs/${program//\//_}
  run "$log" "$programs/$program.exe"
  code=$?
  n=$(grep -c '^ok ' "$log") f=$(grep -E '^FAIL ' "$log" | cut -d: -f1 | sort -u | wc -l)
  passed=$((passed + n)) failed=$((failed + f)) ran=$((ran + n))
  grep -E '^FAIL ' "$log" | head -8
  if ! grep -qE '^[0-9]+ passed, [0-9]+ failed' "$log"; then bad "$program: ended with status $code before its last test"; fi
  linux=$logs/${program//\//_}.linux
  LD_LIBRARY_PATH=$build/lib/softgpu timeout 120 "$build/conformance/$program" >"$linux" 2>&1
  if diff <(grep ^result "$linux") <(grep ^result "$log") >"$log.diff"; then ok; else bad "$program: other results than on Linux: $(head -3 "$log.diff" | tr '\n' ' ')"; fi
  compared=$((compared + $(grep -c '^ok ' "$linux")))
  printf '%-30s %s\n' "$program" "$n ok, $f failed"
done < <(cd "$programs" && find . -maxdepth 2 -name '*.exe' ! -path './examples/*' ! -path './tests/*' | sed 's|^\./||; s|\.exe$||' | sort)
sed -nE 's/^skip /skipped windows /p' "$logs"/* 2>/dev/null | sort -u

if [[ $# -eq 0 ]]; then
  # All cases of the programs that are built, and nine of ten of all there are.
  echo "$ran cases ran here, $compared of the same programs on Linux"
  for program in "$programs"/examples/*.exe; do
    name=$(basename "$program" .exe)
    run "$logs/example_$name" "$program" || bad "example $name: status $?"
    LD_LIBRARY_PATH=$build/lib TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$worker_port "$build/examples/$name" >"$logs/example_$name.linux" 2>&1
    check "example $name prints what it prints on Linux" diff <(sed -E 's/[0-9.]+ (ms|GB\/s|GFLOPS)/T \1/g' "$logs/example_$name.linux") <(sed -E 's/[0-9.]+ (ms|GB\/s|GFLOPS)/T \1/g' "$logs/example_$name")
  done
  for way in return:40 exit:41 ExitProcess:42 TerminateProcess:43 _exit:44 thread:45 waiting:46 unload:47; do
    TIMEOUT=30 run "$logs/exit_${way%:*}" "$programs/tests/exit.exe" "${way%:*}"
    code=$?
    if [[ $code -eq ${way#*:} && ! -s $logs/exit_${way%:*} ]]; then ok; else bad "exit by ${way%:*}: status $code; $(head -2 "$logs/exit_${way%:*}")"; fi
  done
  check "threads" run "$logs/threads" "$programs/tests/threads_at_exit.exe"
  check "hip-remote info" run "$logs/info" "$windows/bin/hip-remote.exe" info
  check "hip-remote info shows the GPU" grep -q 'Software GPU (gfx90a)' "$logs/info"
  check "hip-remote run" run "$logs/run" "$windows/bin/hip-remote.exe" run --worker "127.0.0.1:$worker_port" -- "$programs/examples/hello_hip.exe"
  check "hip-remote run passes the output on" grep -q 'PASSED: all 1024 elements' "$logs/run"
  for command in list metrics info power processes topology "watch -n 2 -i 0.2"; do
    # shellcheck disable=SC2086
    check "smi-remote $command" run "$logs/smi" "$windows/bin/smi-remote.exe" --host "127.0.0.1:$worker_port" $command
  done
  run "$logs/smi_list" "$windows/bin/smi-remote.exe" --host "127.0.0.1:$worker_port" list
  check "smi-remote list is that of Linux" diff <("$build/bin/smi-remote" --host "127.0.0.1:$worker_port" list) "$logs/smi_list"
  # Round trips: counted by the client itself.
  rm -f "$logs/stats" "$logs/stats.linux"
  HIP_REMOTE_STATS=$logs/stats run "$logs/stats_run" "$programs/examples/vector_add.exe"
  HIP_REMOTE_STATS=$logs/stats.linux LD_LIBRARY_PATH=$build/lib TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$worker_port \
    "$build/examples/vector_add" >/dev/null 2>&1
  trips() { sed -nE 's/.*(posted=[0-9]+ waited=[0-9]+).*/\1/p' "$1"; }
  check "round trips of vector_add: $(trips "$logs/stats") as on Linux" test -n "$(trips "$logs/stats")" -a "$(trips "$logs/stats")" = "$(trips "$logs/stats.linux")"
  # The worker dies under a program: the program is told, and a new worker serves a new one.
  TIMEOUT=60 run "$logs/killed" "$programs/tests/exit.exe" thread &
  stop_worker
  wait $!
  start_worker "$build" "$logs/worker2.log" || exit 1
  check "after another worker has come" run "$logs/again" "$programs/examples/hello_hip.exe"
fi
stop_worker
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
