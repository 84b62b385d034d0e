#!/usr/bin/env bash
# What somebody does who has just installed the packages: a worker on the software GPU, a program through it and without it.
#   use.sh HIP_REMOTE HIP_WORKER PROGRAM
set -euo pipefail
remote=$1 worker=$2 program=$3
export HIP_REMOTE_SOFTGPU_MEMORY=512
log=$(mktemp)
"$worker" --runtime softgpu --port 0 --grace 1 >"$log" 2>&1 &
pid=$!
trap 'kill $pid; wait $pid || true; rm -f "$log"' EXIT
port=
for _ in $(seq 200); do
  port=$(sed -n 's/.*Listening on port \([0-9]*\).*/\1/p' "$log")
  if [[ -n $port ]]; then break; fi
  sleep 0.1
done
[[ -n $port ]] || { cat "$log"; exit 1; }
"$remote" --version
"$remote" info --worker "127.0.0.1:$port" | grep gfx90a
"$remote" doctor --worker "127.0.0.1:$port" -- "$program"
"$remote" run --worker "127.0.0.1:$port" "$program" | grep -E 'PASSED|correct'
"$remote" run --softgpu "$program" | grep -E 'PASSED|correct'

# What programs look for besides HIP, where there is no driver (docs/frameworks.md).
run() { "$remote" run --worker "127.0.0.1:$port" "$@"; }
run rocm_agent_enumerator | grep gfx90a
run rocminfo | grep amdgcn-amd-amdhsa--gfx90a
for library in librocm_smi64.so.1 libroctracer64.so.4 librocprofiler-sdk.so.1; do
  run sh -c 'IFS=:; for folder in $LD_LIBRARY_PATH; do if [ -e "$folder/$0" ]; then exit 0; fi; done; echo "no $0"; exit 1' "$library"
done
