#!/usr/bin/env bash
# scripts/test-amd-cluster.sh and test-amd-remote-gpu.sh against a cluster that does not exist (fake_cluster.sh): they pass where
# everything is there, and fail where any one thing is not. A check that sees nothing would pass both.
#   tests/tensorfusion/scripts.sh
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=checks.sh
source "$here/checks.sh"
if ! command -v jq >/dev/null; then
  skip "the scripts for clusters: jq is not installed"
  summary
  exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in kubectl helm; do ln -s "$here/fake_cluster.sh" "$work/$name"; done
python3 "$here/derive_values_test.py" --print-stand-in >"$work/chart.yaml"
export PATH="$work:$PATH" FAKE_CHART=$work/chart.yaml FAKE_LOG=$work/log TIMEOUT=0 PAUSE=0

cluster() { FAKE=$1 "$root/scripts/test-amd-cluster.sh" gpu-node-1; }
remote() { FAKE=$1 "$root/scripts/test-amd-remote-gpu.sh" "$2"; }
fails() { # NAME SAID COMMAND...
  local name=$1 said=$2 output
  shift 2
  if output=$("$@" 2>&1); then bad "$name: passes"; elif [[ $output == *PASS* || $output != *"$said"* ]]; then bad "$name: $output"; else ok "$name"; fi
}
check "the cluster's script passes" cluster ""
check "it asks the cluster for the pool" grep -q '^ *tensor-fusion.ai/gpupool: tensor-fusion-amd-amd$' "$work/log"
check "its workload stays for the metrics" grep -q 'HOLD_SECONDS", 150' "$work/log"
fails "no GPU" "no AMD GPU" cluster no-gpus
fails "a GPU that is not ready" "no AMD GPU" cluster gpu-pending
fails "a GPU that is not given back" "no GPU that the workload has given back" cluster gpu-kept
fails "no pool" "no pool of AMD GPUs" cluster no-pool
fails "a chart that has changed" "has changed" cluster other-chart
fails "a workload that fails" "did not finish" cluster pod-fails
fails "a workload that computes something else" "did not compute" cluster wrong-sum
fails "a worker without a GPU" "no GPU for the worker of pytorch-half-gpu-1" cluster no-gpu-ids
fails "two pods that do not share a GPU" "do not share the GPU" cluster not-shared
fails "a pod that sees all of the GPU's memory" "is not limited" cluster no-memory-limit
fails "a pod that gets more than its limit" "more memory than its limit" cluster given-beyond
fails "half of a GPU that computes something else" "no sum of pytorch-half-gpu-1" cluster wrong-half
fails "no database for metrics" "no metrics of tensor-fusion-amd-amd in tf_gpu_usage" cluster no-database
fails "no metrics of workers" "in tf_worker_usage" cluster no-metrics
for mode in standalone tensor-fusion; do
  check "the script for one remote GPU passes ($mode)" remote "" $mode
  fails "a pod that fails ($mode)" "did not finish" remote pod-fails $mode
  fails "a pod beside the GPU ($mode)" "on a node with a GPU" remote gpu-node $mode
done
fails "another GPU than expected" 'no "MI325X"' env EXPECT=MI325X "$root/scripts/test-amd-remote-gpu.sh" standalone
summary
