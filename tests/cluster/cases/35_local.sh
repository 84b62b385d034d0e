# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# A part of a GPU for a pod on the GPU's own node: its worker is a container of the same pod, with which it shares memory.
NEAR=true part_of_gpu beside 50 1Gi sh -c 'HIP_REMOTE_STATS=/dev/stderr python3 /programs/device.py && exec python3 /programs/patient.py' >/dev/null
part_of_gpu far 25 512Mi sh -c 'python3 /programs/device.py && exec python3 /programs/patient.py' >/dev/null
for pod in beside far; do check "$pod uses its GPU" wait_until 180 printed "$pod"; done
beside() { kubectl get pod beside -o json | jq -er "$1"; }
check "the worker of beside is in its pod" test "$(beside '[.spec.containers[].name] | join(" ")')" = "program tensorfusion-worker"
check "on the GPU's node" test "$(beside .spec.nodeName)" = gpu-node-1
check "with the GPU that far has a part of, too" test "$(beside '.metadata.annotations["tensor-fusion.ai/gpu-ids"]')" = "$(gpus_of far)"
check "they share memory" grep -q 'transport=shm' <(kubectl logs beside -c program)
check "beside sees its memory" test "$(value beside memory)" -eq 1024
check "and twice as many compute units as far" test "$(value beside units)" -eq $((2 * $(value far units)))
check "memory within the limit" test "$(value beside within)" -eq 0
check "beyond it hipErrorOutOfMemory" test "$(value beside beyond)" -eq 2
check "and then as before" test "$(value beside after)" -eq 0
other_pods() { (exec 3<>"/dev/tcp/$(beside .status.podIP)/8000") 2>/dev/null; }
if other_pods; then bad "other pods reach its worker"; else ok "other pods do not reach its worker"; fi
forget_all beside far
