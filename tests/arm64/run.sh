#!/usr/bin/env bash
# Builds client, worker, tools and the software GPU for ARM64 Linux and runs under qemu what can run there: unit tests; an example,
# through the x86 worker of the ordinary build and on the software GPU itself; the tools. Results must be those of x86.
#   tests/arm64/run.sh BUILD_DIR       BUILD_DIR/arm64 is configured, the ordinary build and its examples are made
# The worker is only started: it becomes its sessions by exec, which takes a system that runs ARM64 programs by itself.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR}" && pwd)
arm=$build/arm64 logs=$build/logs
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu # libc6-arm64-cross
tests=(platform_test wire_test runtime_test client_test client_connection_test)
cmake --build "$arm" --target hip_client_7 hip_softgpu_7 hip-worker smi-remote hip-remote "${tests[@]}" &&
  "$root/build/cross/bin/aarch64-linux-gnu.2.31-c++" -std=c++20 -O1 -I"$build/examples" -I"$root/include" \
    "$root/examples/hello_hip/hello_hip.cpp" "$arm/lib/libamdhip64.so.7" -o "$arm/hello_hip" || exit 1
# shellcheck source=scripts/worker.sh
source "$root/scripts/worker.sh"
passed=0 failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$logs/arm64-$name.log" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; tail -5 "$logs/arm64-$name.log"; fi
}
# qemu keeps a record of every page that is reserved, and the client's first choice has terabytes: here that fails, and it takes less.
on_arm() { (ulimit -v $((400 << 20)) && exec timeout -k 5 300 qemu-aarch64-static "$@"); }
hello() { # LIBRARY_FOLDER: hello_hip on that library
  on_arm -E LD_LIBRARY_PATH="$1" "$arm/hello_hip"
}
newest_glibc() { llvm-readelf-19 --version-info "$1" | grep -oE 'GLIBC_[0-9]+\.[0-9]+' | sort -uV | tail -1; } # that the file asks for

for file in lib/libamdhip64.so.7 lib/softgpu/libamdhip64.so.7 bin/hip-worker bin/hip-remote bin/smi-remote; do
  newest=$(newest_glibc "$arm/$file")
  check "glibc_$(tr / _ <<<"$file")" test "$(printf 'GLIBC_2.31\n%s\n' "$newest" | sort -V | tail -1)" = GLIBC_2.31 -a -n "$newest"
done
# GNU's linker lists the names of versions too, as absolute symbols.
exports() { llvm-nm-19 -D --extern-only --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u; }
check exports diff <(exports "$build/lib/libamdhip64.so.7") <(exports "$arm/lib/libamdhip64.so.7")
# qemu starts no other ARM64 program, and does not survive being interrupted in a loop. A program that zig links has an unwinder in
# it which glibc, ending a thread, does not know; programs of other compilers use the system's, and ours never sees such an end.
not_here=Capture.*:StallWatch.EndsWhatSleepsAndWhatSpins:*.AThreadCancelled*
echo "skipped on ARM64: $not_here"
for test in "${tests[@]}"; do check "$test" on_arm -E GTEST_FILTER="-$not_here" "$arm/bin/$test"; done
check worker_version on_arm "$arm/bin/hip-worker" --version

export HIP_REMOTE_SOFTGPU=gfx90a HIP_REMOTE_TRANSPORT=tcp # as between machines
trap stop_worker EXIT
start_worker "$build" "$logs/arm64-worker.log" || exit 1
export TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$worker_port
check hello_through_worker hello "$arm/lib"
check hello_on_x86 env LD_LIBRARY_PATH="$build/lib" "$build/examples/hello_hip"
check hello_is_the_same diff "$logs/arm64-hello_on_x86.log" "$logs/arm64-hello_through_worker.log"
check info on_arm "$arm/bin/hip-remote" info
check info_shows_the_gpu grep -q 'Software GPU (gfx90a)' "$logs/arm64-info.log"
check smi on_arm "$arm/bin/smi-remote" list
check smi_on_x86 "$build/bin/smi-remote" list
check smi_is_the_same diff "$logs/arm64-smi_on_x86.log" "$logs/arm64-smi.log"
stop_worker
check hello_on_softgpu hello "$arm/lib/softgpu"
check hello_on_softgpu_passes grep -q PASSED "$logs/arm64-hello_on_softgpu.log"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
