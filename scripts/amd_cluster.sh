# shellcheck shell=bash
# Sourced by test-amd-cluster.sh and test-amd-remote-gpu.sh: what both ask a cluster. Every question that gets no answer fails.
# Variables: TIMEOUT (600 s), KUBECTL, HELM, GREPTIME_URL (where the metrics are, if not in a GreptimeDB of this cluster).
timeout=${TIMEOUT:-600} pause=${PAUSE:-5}
kubectl=${KUBECTL:-kubectl} samples=$(dirname "${BASH_SOURCE[0]}")/../deploy/samples
# shellcheck disable=SC2034 # used by those who source this
helm=${HELM:-helm}

step() { printf '\n== %s\n' "$*"; }
fail() {
  echo "FAIL: $*" >&2
  exit 1
}
wait_for() { # WHAT COMMAND...: until it prints something, which is printed
  local what=$1 end=$((SECONDS + timeout)) out
  shift
  while :; do
    out=$("$@" 2>/dev/null || true)
    if [[ -n $out ]]; then
      printf '%s\n' "$out"
      return 0
    fi
    if ((SECONDS >= end)); then fail "no $what after $timeout s"; fi
    sleep "$pause"
  done
}
# A pod that asks before a GPU is ready or free may wait for as long as five minutes: only then does TensorFusion's scheduler look
# again at pods that no event has woken, and for pods with a whole GPU there is none. So everything here waits first.
amd_gpus() { # NAME MODEL VRAM of each that is ready to be handed out
  "$kubectl" get gpus.tensor-fusion.ai -o json | jq -r '.items[] | select(.status.phase == "Running")
    | select((.status.vendor // "") == "AMD" or ((.status.gpuModel // "") | test("AMD|Instinct|Radeon")))'"${1:+ | $1}"'
    | "\(.metadata.name) \(.status.gpuModel) \(.status.capacity.vram // "?")"'
}
free_gpus() { amd_gpus 'select((.status.runningApps // []) == [])'; } # those that nobody has a part of
amd_pools() { # names of the pools of AMD GPUs, the cluster's default first
  "$kubectl" get gpupools.tensor-fusion.ai -o json | jq -r '[.items[] | select(.spec.nodeManagerConfig.defaultVendor == "AMD")]
    | sort_by(.metadata.annotations["tensor-fusion.ai/is-default-pool"] != "true") | .[].metadata.name'
}
amd_pool() { # the pool to use: POOL, or the first that the cluster has
  local pool=${POOL:-}
  if [[ -z $pool ]]; then
    pool=$(wait_for "pool of AMD GPUs" amd_pools) || exit 1
    pool=${pool%%$'\n'*}
  fi
  printf '%s\n' "$pool"
}
sample() { # FILE [NAME]: a sample, for this cluster's pool, that stays for HOLD seconds; under another name if given
  sed "s|\(tensor-fusion.ai/gpupool:\).*|\1 $pool|; s|HOLD_SECONDS\", 0|HOLD_SECONDS\", ${HOLD:-0}|${2:+; s/^  name: .*/  name: $2/}" "$samples/$1"
}
start_pod() { # NAME YAML
  end_pods "$1"
  "$kubectl" apply -f - <<<"$2"
}
end_pods() { # NAME...: and the pods that compute for them, which give back their GPUs when they are gone
  local pod workers=()
  for pod; do mapfile -t -O ${#workers[@]} workers < <(worker_of "$pod" 2>/dev/null); done
  "$kubectl" delete pod "$@" --ignore-not-found --wait
  for pod in "${workers[@]}"; do "$kubectl" wait "pod/$pod" --for=delete --timeout "${timeout}s" || fail "$pod is still there"; done
}
worker_of() { # POD: the pod that computes for it
  "$kubectl" get tensorfusionconnections.tensor-fusion.ai -o json |
    jq -r --arg pod "$1" '.items[] | select(any(.metadata.ownerReferences[]?; .name == $pod)) | .status.workerName // "" | select(. != "")'
}
gpus_of() { # POD: the GPUs that the scheduler gave its worker
  local worker
  worker=$(worker_of "$1")
  if [[ -n $worker ]]; then "$kubectl" get pod "$worker" -o json | jq -r '.metadata.annotations["tensor-fusion.ai/gpu-ids"] // empty'; fi
}
said() { # POD TEXT: it has printed that line, which is printed
  "$kubectl" logs "$1" -c python | grep -E -- "^$2\$"
}
run_pod() { # NAME: waits until it has succeeded; prints what it said
  "$kubectl" wait "pod/$1" --for=jsonpath='{.status.phase}'=Succeeded --timeout "${timeout}s" >&2 || {
    "$kubectl" logs "$1" --all-containers >&2 || true
    fail "$1 did not finish"
  }
  "$kubectl" logs "$1" -c python
}
database() { # NAMESPACE/POD of the chart's GreptimeDB
  "$kubectl" get pods -A -l app.greptime.io/component=greptimedb-standalone -o json |
    jq -r '.items[0] // empty | "\(.metadata.namespace)/\(.metadata.name)"'
}
sql() { # STATEMENT: the first value of its answer
  local query=(curl -sS "${GREPTIME_URL:-http://localhost:4000}/v1/sql?db=public" --data-urlencode "sql=$1") where
  if [[ -z ${GREPTIME_URL:-} ]]; then
    where=$(database)
    if [[ -z $where ]]; then return 1; fi
    query=("$kubectl" exec -n "${where%/*}" "${where#*/}" -- "${query[@]}")
  fi
  "${query[@]}" | jq -r '.output[0].records.rows[0][0] // empty'
}
metrics_since() { # START TABLE POOL: how many rows it got since (seconds since 1970), if any
  local rows
  rows=$(sql "SELECT count(*) FROM $2 WHERE pool = '$3' AND ts >= to_timestamp_millis($1 * 1000)") || return 1
  if [[ $rows -gt 0 ]]; then printf '%s\n' "$rows"; fi
}
