# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# What the operator made of our values: names, templates, capacities.
pool=$(amd_pools)
check "the pool is called what docs and samples say" test "$pool" = tensor-fusion-amd-amd
scheduler=$(kubectl get configmap -n tensor-fusion-sys tensor-fusion-sys-config -o json | jq -r '.data["scheduler-config.yaml"]')
check "the scheduler counts amd.com/gpu" grep -q 'name: amd.com/gpu' <<<"$scheduler"
check "and nothing of NVIDIA's" test "$(grep -c nvidia <<<"$scheduler")" -eq 0

hypervisor=$(kubectl get pod -n tensor-fusion-sys -l tensor-fusion.ai/component=hypervisor -o json | jq '.items[0]')
of_hypervisor() { jq -r "$1" <<<"$hypervisor"; }
is_so() { [[ $(of_hypervisor "$2") == "$1" ]] || { of_hypervisor "$2"; return 1; }; } # VALUE QUESTION
check "the hypervisor's pod has our two containers" is_so "tensor-fusion-hypervisor vector" '[.spec.containers[].name] | join(" ")'
check "its metrics go where vector reads" is_so true '.spec.containers[0].args | any(. == "--metrics-output-path=/logs/metrics.log.hypervisor")'
check "it offers parts of GPUs" is_so true '.spec.containers[0].args | join(" ") | test("isolation-mode[= ]hard")'
check "its memory limit is ours" is_so 1Gi '.spec.containers[0].resources.limits.memory'
check "it loads our provider" is_so /run/tensor-fusion/lib/libaccelerator_amd.so '.spec.containers[0].env[] | select(.name == "TF_ACCELERATOR_LIB_PATH").value'
check "it finds AMD's library" is_so /run/tensor-fusion/lib:/opt/rocm/lib '.spec.containers[0].env[] | select(.name == "LD_LIBRARY_PATH").value'
check "it has not been started again" is_so 0 '[.status.containerStatuses[].restartCount] | add'

check "one GPU" test "$(amd_gpus | wc -l)" -eq 1
over=$(kubectl get gpupool "$pool" -o json | jq -c '.spec.capacityConfig.oversubscription // {}')
# The API server's defaults would be 50 and 70: memory of the host counted as the GPU's.
check "nothing is promised beyond what there is ($over)" test "$over" = '{}'
promised=$(kubectl get gpunodes.tensor-fusion.ai gpu-node-1 -o json | jq -c '[.status.totalVRAM == .status.virtualVRAM, .status.totalTFlops == .status.virtualTFlops]')
check "the node's virtual memory is its memory" test "$(jq '.[0]' <<<"$promised")" = true
