# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# Pods with parts of the one GPU, at the same time: what they see, what they get, what a third one does not.
kept=(sh -c 'python3 /programs/device.py && exec python3 /programs/patient.py')
part_of_gpu part-1 50 1Gi "${kept[@]}" >/dev/null
part_of_gpu part-2 25 512Mi "${kept[@]}" >/dev/null
for pod in part-1 part-2; do check "$pod gets a worker" wait_until 120 has_worker "$pod"; done
for pod in part-1 part-2; do check "$pod uses its GPU" wait_until 120 printed "$pod"; done
gpu=$(amd_gpus | cut -d ' ' -f 1)
for pod in part-1 part-2; do check "its worker has gpu-ids" test "$(gpus_of $pod)" = "$gpu"; done
check "they are two workers" test "$(worker_of part-1)" != "$(worker_of part-2)"
check "part-1 sees its memory" test "$(value part-1 memory)" -eq 1024
check "part-2 sees its memory" test "$(value part-2 memory)" -eq 512
check "part-1 sees twice as many compute units as part-2" test "$(value part-1 units)" -eq $((2 * $(value part-2 units)))
for pod in part-1 part-2; do
  check "$pod: memory within the limit" test "$(value $pod within)" -eq 0
  check "$pod: beyond it hipErrorOutOfMemory" test "$(value $pod beyond)" -eq 2
  check "$pod: and then as before" test "$(value $pod after)" -eq 0
done
# 25 % are left.
part_of_gpu part-3 50 512Mi "${kept[@]}" >/dev/null
refused() { kubectl get pods -o json | jq -e '.items[] | select(.metadata.name | startswith("part-3-tf-")) | .status.conditions | any(.type == "PodScheduled" and .status == "False")'; }
check "a third that does not fit is given nothing" wait_until 60 refused
check "it waits for it" wait_until 60 is part-3 Running
check "without a GPU" test -z "$(value part-3 after)"
forget part-1
check "when another ends, it gets its place" wait_until 180 printed part-3
part_of_gpu kernel 25 512Mi /programs/matmul >/dev/null
check "a kernel on a part of the GPU" wait_until 180 is kernel Succeeded
check "computes what it should" grep -q correct <(kubectl logs kernel -c program)
forget_all kernel part-2 part-3
