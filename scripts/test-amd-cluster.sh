#!/usr/bin/env bash
# Tries AMD GPUs under TensorFusion on a real cluster: labels nodes, installs both charts, waits for the GPUs to be found, runs
# a workload, looks for its metrics.
#   scripts/test-amd-cluster.sh NODE...        Variables: NAMESPACE (tensor-fusion-sys), CHART (tensor-fusion/tensor-fusion),
# POOL (else the cluster is asked), VALUES (extra values for our chart, e.g. images), and those of amd_cluster.sh.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=amd_cluster.sh
source "$root/scripts/amd_cluster.sh"
namespace=${NAMESPACE:-tensor-fusion-sys} chart=${CHART:-tensor-fusion/tensor-fusion}
if [[ $# -eq 0 ]]; then sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step "Label the nodes"
for node in "$@"; do "$kubectl" label node "$node" amdgpu.com/gpu.present=true --overwrite; done

step "Install TensorFusion for AMD"
"$helm" show values "$chart" | "$root/deploy/helm/derive_values.py" >"$work/amd.yaml"
"$helm" upgrade --install tensor-fusion-sys "$chart" -n "$namespace" --create-namespace -f "$work/amd.yaml"
"$kubectl" -n "$namespace" rollout status deployment --timeout "${timeout}s"
"$helm" upgrade --install tensor-fusion-amd "$root/deploy/helm/tensor-fusion-amd" -n "$namespace" ${VALUES:+-f "$VALUES"}

step "GPUs"
wait_for "AMD GPU in the cluster" amd_gpus
pool=$(amd_pool)
echo "pool $pool"
"$kubectl" get gpupools.tensor-fusion.ai "$pool"

step "A workload"
start=$(date +%s)
"$kubectl" delete pod pytorch-amd-remote --ignore-not-found --wait
# Its worker has to be there when the hypervisor writes the next metrics, which it does every minute.
sed "s|\(tensor-fusion.ai/gpupool:\).*|\1 $pool|; s|HOLD_SECONDS\", 0|HOLD_SECONDS\", 150|" "$root/deploy/samples/pytorch-client.yaml" |
  "$kubectl" apply -f -
output=$(run_pod pytorch-amd-remote)
echo "$output"
grep -q '^sum: 1073741824.0$' <<<"$output" || fail "the workload did not compute what it should"

step "Metrics"
for table in tf_gpu_usage tf_worker_usage tf_node_metrics; do
  rows=$(wait_for "metrics of $pool in $table (of a GreptimeDB in this cluster, or at GREPTIME_URL)" metrics_since "$start" "$table" "$pool")
  echo "$table: $rows rows"
done
echo "PASS"
