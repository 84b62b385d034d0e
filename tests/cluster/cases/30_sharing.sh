# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# Pods with parts of the one GPU, at the same time: what they see, what they get, what a third one does not, how fast they are.
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

# Side by side, one is twice as fast as the other, to 10 %. Small parts: on a machine with too much to do its system gives all threads the
# same, and large ones shrink first. What else it does slows down now one and now the other: three times.
part_of_gpu fast 20 512Mi python3 /programs/pace.py >/dev/null
part_of_gpu slow 10 512Mi python3 /programs/pace.py >/dev/null
computes() { [[ -n $(value "$1" kernels) ]]; }
for pod in fast slow; do check "$pod computes" wait_until 180 computes "$pod"; done
kernels() { # POD FROM UNTIL: how many it ran in a second between those moments
  kubectl logs "$1" -c program | sed -n 's/^kernels=//p' |
    awk -v from="$2" -v until="$3" '$1 >= from && $1 <= until { if (!lines++) { began = $1; first = $2 } ended = $1; last = $2 }
      END { if (ended > began) print (last - first) / (ended - began) }'
}
in_proportion() {
  local from until rates
  for _ in 1 2 3; do
    from=$(date +%s) && sleep 10 && until=$(date +%s)
    rates="$(kernels fast "$from" "$until") $(kernels slow "$from" "$until")"
    echo "kernels in a second: $rates"
    if awk '{ exit !($2 > 0 && $1 / $2 >= 1.8 && $1 / $2 <= 2.2) }' <<<"$rates"; then return; fi
  done
  return 1
}
check "fast is twice as fast as slow" in_proportion
forget_all fast slow
