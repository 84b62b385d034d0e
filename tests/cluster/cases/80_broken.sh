# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# Broken on purpose, one thing at a time, in a copy of scripts/ and deploy/: the scripts must not pass, and must say what is missing.
copy=$work/broken
export CHART=$TENSOR_FUSION_CHART TENSOR_FUSION_VALUES=$here/values-operator.yaml VALUES=$here/values-amd.yaml GREPTIME_URL=$database PAUSE=1 HOLD=20
fresh_copy() { rm -rf "$copy" && mkdir "$copy" && cp -r "$root/scripts" "$root/deploy" "$copy/"; }
in_chart() { sed -i "$1" "$copy/deploy/helm/tensor-fusion-amd/templates/cluster.yaml"; } # SED: of what the pool is made
worker_runs() { in_chart "s|^\( *\)- name: tensorfusion-worker\$|&\n\1  command: [sh, -c, '$1 exec ./tensor-fusion-worker -p 8000']|"; } # SHELL: before it starts
# The operator makes a new hypervisor only when there is none, and reads the scheduler's profile when it starts.
install_copy() {
  helm show values "$CHART" | "$copy/deploy/helm/derive_values.py" >"$work/amd.yaml" &&
    helm upgrade tensor-fusion-sys "$CHART" -n tensor-fusion-sys -f "$work/amd.yaml" -f "$TENSOR_FUSION_VALUES" &&
    helm upgrade tensor-fusion-amd "$copy/deploy/helm/tensor-fusion-amd" -n tensor-fusion-sys -f "$VALUES" &&
    kubectl delete pod -n tensor-fusion-sys -l tensor-fusion.ai/component=operator && as_written "$(documented "kubectl delete pod -n")" &&
    kubectl rollout status deployment -n tensor-fusion-sys tensor-fusion-sys-controller --timeout 120s && wait_until 120 hypervisor_runs
} >/dev/null
hypervisor_runs() { kubectl get pod -n tensor-fusion-sys -l tensor-fusion.ai/component=hypervisor -o json | jq -e '.items | any(.status.conditions // [] | any(.type == "Ready" and .status == "True"))'; }
script_fails() { # NAME SAID SCRIPT ARGUMENT...
  local name=$1 said=$2 script=$3 output
  shift 3
  forget_all pytorch-amd-remote pytorch-half-gpu-1 pytorch-half-gpu-2
  if diff -rq "$root/deploy/helm" "$copy/deploy/helm" >/dev/null; then
    bad "$name: nothing is broken"
  elif output=$(TIMEOUT=90 "$copy/scripts/$script" "$@" 2>&1); then
    bad "$name: $script passes"
  elif [[ $output == *"FAIL: $said"* ]]; then ok "$name: $script fails"; else bad "$name: $script says: $(tail -n 3 <<<"$output")"; fi
}

fresh_copy # metrics: nothing carries them to the database
sed -i 's/enableVector: true/enableVector: false/' "$copy/deploy/helm/tensor-fusion-amd/values.yaml"
check "installed without vector" install_copy
script_fails "no metrics" "no metrics of tensor-fusion-amd-amd in tf_gpu_usage" test-amd-cluster.sh gpu-node-1

fresh_copy # sharing: a pool that hands out whole GPUs only
in_chart 's/defaultIsolationMode: hard/defaultIsolationMode: shared/'
check "installed for whole GPUs" install_copy
script_fails "no sharing" "no GPU for the worker of pytorch-half-gpu-1 (gpu-ids)" test-amd-cluster.sh gpu-node-1

fresh_copy # gpu-ids: a scheduler that does not write them down, as with the profile of an older chart
sed -i 's/theirs\["name"\] = OURS/&; del profile["plugins"]["preBind"]/' "$copy/deploy/helm/derive_values.py"
check "installed with another scheduler" install_copy
script_fails "no gpu-ids" "pytorch-amd-remote did not finish" test-amd-cluster.sh gpu-node-1
script_fails "no gpu-ids" "pytorch-amd-remote did not finish" test-amd-remote-gpu.sh tensor-fusion

fresh_copy # limits: the worker does not hear of them
worker_runs 'unset TF_GPU_MEMORY_LIMIT TF_CUDA_MEMORY_LIMIT HYPERVISOR_IP;'
check "installed without limits" install_copy
script_fails "no limits" "the memory of pytorch-half-gpu-1 is not limited" test-amd-cluster.sh gpu-node-1

fresh_copy # the kernel: the GPU is of another kind than it was compiled for
worker_runs HIP_REMOTE_SOFTGPU=gfx1030
check "installed with another GPU" install_copy
script_fails "a kernel that does not run" "pytorch-amd-remote did not finish" test-amd-cluster.sh gpu-node-1
script_fails "a kernel that does not run" "pytorch-amd-remote did not finish" test-amd-remote-gpu.sh tensor-fusion

fresh_copy # the token: the worker has another
worker_runs HIP_REMOTE_TOKEN=another-token-altogether
check "installed with another token" install_copy
script_fails "another token" "pytorch-amd-remote did not finish" test-amd-remote-gpu.sh tensor-fusion

fresh_copy # nothing: the next case finds it as this one did
check "installed with nothing broken" install_copy
forget_all pytorch-amd-remote
