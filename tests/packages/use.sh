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
