# shellcheck shell=bash
# needs:
# shellcheck disable=SC2154 # run.sh has them
# Without TensorFusion: the chart hip-worker, and a pod on the other node that uses its GPU, by scripts/test-amd-remote-gpu.sh. Then the
# same with something broken on purpose: the script must not pass.
# The documented ways to install it, one after the other; the last is the one with a GPU that this cluster has.
[[ $(documented 'helm install gpus') == *standalone-client.yaml* ]] || bad "docs/amd-gpu-setup.md has no commands for the chart hip-worker"
while read -r line; do
  if [[ $line == "helm install"* ]]; then helm uninstall gpus --wait >/dev/null 2>&1; fi
  check "the documented commands: ${line%% #*}" as_written "$line"
done < <(documented 'helm install gpus')
check "the documented pod runs" kubectl wait pod/pytorch-hip-worker --for=jsonpath='{.status.phase}'=Succeeded --timeout=10m
helm uninstall gpus --wait >/dev/null

kubectl label node gpu-node-1 amdgpu.com/gpu.present=true --overwrite >/dev/null
cat >"$work/standalone.yaml" <<END
devices: none
runtime: softgpu
softgpu: gfx90a
END
check "scripts/test-amd-remote-gpu.sh standalone passes" env TIMEOUT=600 VALUES="$work/standalone.yaml" PAUSE=1 "$root/scripts/test-amd-remote-gpu.sh" standalone
check "the pod saw the worker's GPU" grep -q '^Software GPU (gfx90a)$' <(kubectl logs pytorch-hip-worker -c python)
check "the worker was on the node with the GPU" test "$(kubectl get pods -o json | jq -r '.items[] | select(.metadata.name | startswith("gpus-")) | .spec.nodeName')" = gpu-node-1
script_fails() { # NAME SAID VARIABLE=VALUE...
  local name=$1 said=$2 output
  shift 2
  if output=$(env VALUES="$work/standalone.yaml" PAUSE=1 TIMEOUT=60 "$@" "$root/scripts/test-amd-remote-gpu.sh" standalone 2>&1); then bad "$name: the script passes"; return; fi
  if [[ $output == *"$said"* ]]; then ok "$name: the script fails"; else bad "$name: $(tail -n 3 <<<"$output")"; fi
}
script_fails "another GPU than expected" 'no "MI300X"' EXPECT=MI300X
kubectl label node cpu-node-1 amdgpu.com/gpu.present=true --overwrite >/dev/null
script_fails "a pod beside a GPU" "on a node with a GPU" EXPECT=Software
kubectl label node cpu-node-1 amdgpu.com/gpu.present- >/dev/null
# The pod's token is not the worker's.
kubectl create secret generic gpus-token --from-literal=token=another-token-altogether --dry-run=client -o yaml | kubectl replace -f - >/dev/null
script_fails "another token" "did not finish" EXPECT=Software
helm uninstall gpus --wait >/dev/null && kubectl delete pod pytorch-hip-worker >/dev/null
kubectl label node gpu-node-1 amdgpu.com/gpu.present- >/dev/null
