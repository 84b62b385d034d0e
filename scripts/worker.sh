# shellcheck shell=bash
# Sourced by the demo and the test runners: a worker on a free loopback port, stopped by its process id.
#   start_worker BUILD_DIR LOG_FILE [WORKER_OPTION...]     sets worker_pid and worker_port; WORKER_ENV ("NAME=VALUE ...") is
#                                                          for the worker alone
#   stop_worker
worker_pid=

start_worker() {
  local build=$1 log=$2
  shift 2
  : >"$log" # it is read below, perhaps before the worker's process exists to make it
  # shellcheck disable=SC2086
  env ${WORKER_ENV:-} "$build/bin/hip-worker" -p 0 --runtime softgpu "$@" >"$log" 2>&1 &
  worker_pid=$!
  for _ in $(seq 200); do
    worker_port=$(sed -n 's/.*Listening on port \([0-9]*\).*/\1/p' "$log" | head -1)
    if [[ -n $worker_port ]]; then return 0; fi
    if ! kill -0 "$worker_pid" 2>/dev/null; then break; fi
    sleep 0.05
  done
  echo "the worker did not start; its log:" >&2
  cat "$log" >&2
  stop_worker
  return 1
}

stop_worker() {
  if [[ -z $worker_pid ]]; then return 0; fi
  kill "$worker_pid" 2>/dev/null || true
  wait "$worker_pid" 2>/dev/null || true
  worker_pid=
}
