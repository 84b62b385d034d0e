#!/usr/bin/env bash
# Builds the client and its unit tests for ARM64 Linux and runs them under qemu; then its tools, through the x86 worker of the ordinary build.
#   tests/arm64/run.sh BUILD_DIR       BUILD_DIR/arm64 is configured
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR}" && pwd)
arm=$build/arm64
export QEMU_LD_PREFIX=$arm/sysroot
tests=(platform_test wire_test client_test client_connection_test)
cmake --build "$arm" --target hip_client_7 smi-remote hip-remote "${tests[@]}" || exit 1
# shellcheck source=scripts/worker.sh
source "$root/scripts/worker.sh"
passed=0 failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$build/logs/arm64-$name.log" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; tail -5 "$build/logs/arm64-$name.log"; fi
}
for test in "${tests[@]}"; do check "$test" timeout 300 qemu-aarch64-static "$arm/bin/$test"; done
trap stop_worker EXIT
start_worker "$build" "$build/logs/arm64-worker.log" || exit 1
export TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$worker_port
check info qemu-aarch64-static "$arm/bin/hip-remote" info
check smi qemu-aarch64-static "$arm/bin/smi-remote" list
stop_worker
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
