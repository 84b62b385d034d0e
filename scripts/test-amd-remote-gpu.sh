#!/usr/bin/env bash
# Tries one thing on a real cluster: a pod on a node without a GPU computes on a GPU of another node.
#   scripts/test-amd-remote-gpu.sh [standalone|tensor-fusion]
# standalone installs the chart hip-worker and needs no TensorFusion; tensor-fusion expects scripts/test-amd-cluster.sh to have
# passed. Variables: EXPECT (a part of the GPU's name, e.g. MI325X), TIMEOUT (600 s), VALUES (for the chart), KUBECTL, HELM.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mode=${1:-standalone} timeout=${TIMEOUT:-600}
kubectl=${KUBECTL:-kubectl} helm=${HELM:-helm}
case $mode in
  standalone)
    pod=pytorch-hip-worker sample=$root/deploy/samples/standalone-client.yaml
    "$helm" upgrade --install gpus "$root/deploy/helm/hip-worker" ${VALUES:+-f "$VALUES"} --wait --timeout "${timeout}s"
    ;;
  tensor-fusion) pod=pytorch-amd-remote sample=$root/deploy/samples/pytorch-client.yaml ;;
  *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
"$kubectl" delete pod "$pod" --ignore-not-found --wait
"$kubectl" apply -f "$sample"
"$kubectl" wait "pod/$pod" --for=jsonpath='{.status.phase}'=Succeeded --timeout "${timeout}s" || {
  "$kubectl" logs "$pod" --all-containers || true
  echo "FAIL: the pod did not finish" >&2
  exit 1
}
output=$("$kubectl" logs "$pod" -c python)
echo "$output"
grep -q "${EXPECT:-.}" <<<"$output" || { echo "FAIL: no \"$EXPECT\" in what it printed" >&2; exit 1; }
echo "PASS: $pod ran on $("$kubectl" get pod "$pod" -o jsonpath='{.spec.nodeName}'), its GPU elsewhere"
