#!/usr/bin/env bash
# Tries AMD GPUs under TensorFusion on a real cluster: labels nodes, installs both charts, waits for the GPUs to be found, runs
# a workload, looks at the metrics.
#   scripts/test-amd-cluster.sh NODE...        Variables: NAMESPACE (tensor-fusion-sys), POOL (amd), TIMEOUT (600 s),
# CHART (tensor-fusion/tensor-fusion), VALUES (extra values for our chart, e.g. images), KUBECTL, HELM.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
namespace=${NAMESPACE:-tensor-fusion-sys} pool=${POOL:-amd} timeout=${TIMEOUT:-600}
kubectl=${KUBECTL:-kubectl} helm=${HELM:-helm}
if [[ $# -eq 0 ]]; then sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; fi

step() { printf '\n== %s\n' "$*"; }
fail() { echo "FAIL: $*" >&2; exit 1; }
wait_for() { # WHAT COMMAND...: until it prints something
  local what=$1 end=$((SECONDS + timeout)) out
  shift
  while ((SECONDS < end)); do
    out=$("$@" 2>/dev/null || true)
    if [[ -n $out ]]; then printf '%s\n' "$out"; return 0; fi
    sleep 5
  done
  fail "no $what after $timeout s"
}

step "Label the nodes"
for node in "$@"; do "$kubectl" label node "$node" amdgpu.com/gpu.present=true --overwrite; done

step "Install TensorFusion for AMD"
"$helm" upgrade --install tensor-fusion-sys "${CHART:-tensor-fusion/tensor-fusion}" -n "$namespace" --create-namespace \
  -f "$root/deploy/helm/values-amd.yaml"
"$kubectl" -n "$namespace" rollout status deployment --timeout "${timeout}s"
"$helm" upgrade --install tensor-fusion-amd "$root/deploy/helm/tensor-fusion-amd" -n "$namespace" \
  --set "pool.name=$pool" ${VALUES:+-f "$VALUES"}

step "GPUs"
amd_gpus() { "$kubectl" get gpus.tensor-fusion.ai -o json | jq -r '.items[] | select((.status.vendor // "") == "AMD" or ((.status.gpuModel // "") | test("AMD|Instinct|Radeon"))) | "\(.metadata.name) \(.status.gpuModel) \(.status.capacity.vram // "?")"'; }
wait_for "AMD GPU in the cluster" amd_gpus
"$kubectl" get gpupools.tensor-fusion.ai

step "A workload"
"$kubectl" delete pod pytorch-amd-remote --ignore-not-found --wait
sed "s/gpupool: amd-gpu-pool/gpupool: $pool/" "$root/deploy/samples/pytorch-client.yaml" | "$kubectl" apply -f -
"$kubectl" wait pod/pytorch-amd-remote --for=jsonpath='{.status.phase}'=Succeeded --timeout "${timeout}s" ||
  { "$kubectl" logs pytorch-amd-remote --all-containers || true; fail "the workload did not finish"; }
"$kubectl" logs pytorch-amd-remote -c python

step "Metrics"
database=$("$kubectl" get pods -A -l app.kubernetes.io/name=greptimedb-standalone -o jsonpath='{.items[0].metadata.namespace}/{.items[0].metadata.name}' 2>/dev/null || true)
if [[ -z $database || $database == / ]]; then
  echo "SKIPPED: no GreptimeDB in this cluster"
else
  for table in tf_gpu_usage tf_worker_usage tf_node_metrics; do
    rows=$("$kubectl" exec -n "${database%/*}" "${database#*/}" -- curl -s "http://localhost:4000/v1/sql?db=public" \
      --data-urlencode "sql=SELECT count(*) FROM $table" | jq -r '.output[0].records.rows[0][0] // 0')
    echo "$table: $rows rows"
    [[ $rows -gt 0 ]] || fail "$table is empty"
  done
fi
echo "PASS"
