#!/usr/bin/env bash
# Tries one thing on a real cluster: a pod on a node without a GPU computes on a GPU of another node.
#   scripts/test-amd-remote-gpu.sh [standalone|tensor-fusion]
# standalone installs the chart hip-worker and needs no TensorFusion; tensor-fusion expects scripts/test-amd-cluster.sh to have
# passed. Variables: EXPECT (a part of the GPU's name, e.g. MI325X), POOL, VALUES (for the chart), and those of amd_cluster.sh.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=amd_cluster.sh
source "$root/scripts/amd_cluster.sh"
case ${1:-standalone} in
  standalone)
    pod=pytorch-hip-worker
    "$helm" upgrade --install gpus "$root/deploy/helm/hip-worker" ${VALUES:+-f "$VALUES"} --wait --timeout "${timeout}s"
    yaml=$(<"$root/deploy/samples/standalone-client.yaml")
    ;;
  tensor-fusion)
    pod=pytorch-amd-remote pool=$(amd_pool)
    yaml=$(sample pytorch-client.yaml)
    ;;
  *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
start_pod "$pod" "$yaml"
output=$(run_pod "$pod")
echo "$output"
[[ -n $output ]] || fail "$pod printed nothing"
grep -q "${EXPECT:-.}" <<<"$output" || fail "no \"$EXPECT\" in what it printed"
node=$("$kubectl" get pod "$pod" -o jsonpath='{.spec.nodeName}')
label=$("$kubectl" get node "$node" -o jsonpath='{.metadata.labels.amdgpu\.com/gpu\.present}')
[[ -n $node && $label != true ]] || fail "$pod ran on a node with a GPU (\"$node\")"
echo "PASS: $pod ran on $node, its GPU elsewhere"
