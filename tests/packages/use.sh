#!/usr/bin/env bash
# What somebody does who has just installed the packages: a worker on the software GPU, programs through it and without it.
#   use.sh HIP_REMOTE HIP_WORKER FOLDER_OF_PROGRAMS
set -euo pipefail
remote=$1 worker=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
examples=(hello_hip vector_add matmul reduction image_filter streams_events multi_gpu)
export HIP_REMOTE_SOFTGPU_MEMORY=512 HIP_REMOTE_SOFTGPU=gfx90ax2
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
"$remote" doctor --worker "127.0.0.1:$port" -- "$folder/vector_add"
run() { "$remote" run --worker "127.0.0.1:$port" "$@"; }
for example in "${examples[@]}"; do
  run "$folder/$example" | grep -E 'PASSED|correct'
  "$remote" run --softgpu "$folder/$example" | grep -E 'PASSED|correct'
done
run python3 "$here/copies.py"
"$remote" run --softgpu python3 "$here/copies.py"
"$remote" trace -o "$log.json" --worker "127.0.0.1:$port" -- "$folder/matmul" && python3 -m json.tool "$log.json" /dev/null
rm "$log.json"

# What programs look for besides HIP, where there is no driver (docs/frameworks.md).
run rocm_agent_enumerator | grep gfx90a
run rocminfo | grep amdgcn-amd-amdhsa--gfx90a
for library in librocm_smi64.so.1 libroctracer64.so.4 librocprofiler-sdk.so.1 librocm_sysdeps_{drm.so.2,drm_amdgpu.so.1,numa.so.1}; do
  run python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$library"
done
