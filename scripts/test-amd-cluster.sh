#!/usr/bin/env bash
# Tries AMD GPUs under TensorFusion on a real cluster: labels nodes, installs both charts, waits for the GPUs to be found, runs
# a workload with a whole GPU and two with half of one, looks at their limits and for their metrics.
#   scripts/test-amd-cluster.sh NODE...        Variables: NAMESPACE (tensor-fusion-sys), CHART (tensor-fusion/tensor-fusion),
# POOL (else the cluster is asked), VALUES (extra values for our chart, e.g. images), TENSOR_FUSION_VALUES (for TensorFusion's), HOLD
# (150: seconds for which the halves stay, so that the hypervisor writes metrics of them), and those of amd_cluster.sh.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=amd_cluster.sh
source "$root/scripts/amd_cluster.sh"
namespace=${NAMESPACE:-tensor-fusion-sys} chart=${CHART:-tensor-fusion/tensor-fusion}
if [[ $# -eq 0 ]]; then sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step "Label the nodes"
for node in "$@"; do "$kubectl" label node "$node" amdgpu.com/gpu.present=true --overwrite; done

step "Install TensorFusion for AMD"
"$helm" show values "$chart" | "$root/deploy/helm/derive_values.py" >"$work/amd.yaml"
"$helm" upgrade --install tensor-fusion-sys "$chart" -n "$namespace" --create-namespace -f "$work/amd.yaml" ${TENSOR_FUSION_VALUES:+-f "$TENSOR_FUSION_VALUES"}
"$kubectl" -n "$namespace" rollout status deployment --timeout "${timeout}s"
"$helm" upgrade --install tensor-fusion-amd "$root/deploy/helm/tensor-fusion-amd" -n "$namespace" ${VALUES:+-f "$VALUES"}

step "GPUs"
wait_for "AMD GPU in the cluster" amd_gpus
pool=$(amd_pool)
echo "pool $pool"
"$kubectl" get gpupools.tensor-fusion.ai "$pool"

step "A workload with a whole GPU"
start=$(date +%s)
start_pod pytorch-amd-remote "$(HOLD=0 sample pytorch-client.yaml)"
output=$(run_pod pytorch-amd-remote)
echo "$output"
grep -q '^sum: 1073741824.0$' <<<"$output" || fail "the workload did not compute what it should"
end_pods pytorch-amd-remote
wait_for "GPU that the workload has given back" free_gpus

step "Two pods, half of a GPU each"
# Their workers have to be there when the hypervisor writes the next metrics, which it does every minute.
export HOLD=${HOLD:-150}
halves=(pytorch-half-gpu-1 pytorch-half-gpu-2)
for pod in "${halves[@]}"; do start_pod "$pod" "$(sample pytorch-half-gpu.yaml "$pod")"; done
for pod in "${halves[@]}"; do
  gpus=$(wait_for "GPU for the worker of $pod (gpu-ids)" gpus_of "$pod")
  echo "$pod has $gpus"
  wait_for "sum of $pod" said "$pod" 'sum: 16777216.0'
  said "$pod" 'memory: 1024 MiB' || fail "the memory of $pod is not limited: $(said "$pod" 'memory: .*')"
  said "$pod" 'beyond: out of memory' || fail "$pod got more memory than its limit"
done
if [[ $(gpus_of "${halves[0]}") == "$(gpus_of "${halves[1]}")" ]]; then
  echo "they share it"
elif [[ $(amd_gpus | wc -l) -eq 1 ]]; then
  fail "the two pods do not share the GPU"
else
  echo "not tried: two pods on one GPU, because this cluster has several"
fi

step "Metrics"
for table in tf_gpu_usage tf_worker_usage tf_node_metrics; do
  rows=$(wait_for "metrics of $pool in $table (of a GreptimeDB in this cluster, or at GREPTIME_URL)" metrics_since "$start" "$table" "$pool")
  echo "$table: $rows rows"
done
end_pods "${halves[@]}"
echo "PASS"
