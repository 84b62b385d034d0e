# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# What a pod's program is told when something is not as it should be: an error of HIP and one line, never a crash, never a wait for ever.
part_of_gpu patient 25 512Mi python3 /programs/patient.py >/dev/null
well() { [[ $(value patient error) == 0 ]]; }
check "a program uses its GPU" wait_until 180 well
worker=$(worker_of patient)
worker_process() { # found by the environment that only this worker has
  local process
  for process in /proc/[0-9]*; do
    if tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qx "POD_NAME=$worker" && [[ $(readlink "$process/exe") == */hip-worker ]]; then
      echo "${process#/proc/}" && return 0
    fi
  done
  return 1
}
unwell() { kubectl logs patient -c program | grep -q '^error=[1-9]'; }

# The network cuts it off; its session waits for it, and it goes on where it was.
at_worker() { nsenter -t "$(worker_process)" -n ss -tnH "$@" state established sport = :8000; }
peers() { at_worker | awk '{ print $4 }' | sort; }
before=$(peers) lines=$(kubectl logs patient -c program | wc -l)
check "its connection is cut" test -n "$(at_worker -K)"
anew() { [[ -n $(peers) && -z $(comm -12 <(echo "$before") <(peers)) ]]; }
check "it makes another" wait_until 60 anew
goes_on() { [[ $(kubectl logs patient -c program | wc -l) -gt $((lines + 2)) ]]; }
check "and goes on" wait_until 60 goes_on
if unwell; then bad "it was told of an error: $(kubectl logs patient -c program | tail -n 3)"; else ok "without having noticed"; fi

# Its worker's program is killed; the node starts it again, with the same address.
kill_worker() { kill -KILL "$(worker_process)"; }
check "its worker is killed" kill_worker
restarted() { [[ $(kubectl get pod "$worker" -o json | jq '[.status.containerStatuses[].restartCount] | add') -ge 1 ]]; }
check "the node starts it again" wait_until 60 restarted
check "the program was told" wait_until 60 unwell
check "and lives" is patient Running
part_of_gpu after 25 512Mi /programs/matmul >/dev/null
check "others use the GPU" wait_until 180 is after Succeeded
forget after

# Somebody else's connection: the operator knows whose it is by the token of the pod.
url=$(kubectl get pod patient -o json | jq -r '.spec.containers[0].env[] | select(.name == "TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL").value')
part_of_gpu thief 25 512Mi sh -c "TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL='$url' exec python3 /programs/device.py" >/dev/null
check "somebody else's connection is refused" wait_until 180 is thief Failed
check "with one clear line" grep -q "said 401" <(kubectl logs thief -c program)
forget thief

# A worker reached without its token, past the operator.
address=$(kubectl get pod "$worker" -o 'jsonpath={.status.podIP}')
part_of_gpu stranger 25 512Mi sh -c "unset HIP_REMOTE_TOKEN; TF_WORKER_HOST=$address TF_WORKER_PORT=8000 HIP_REMOTE_INSECURE=1 TF_CONNECT_TIMEOUT=10 exec python3 /programs/device.py" >/dev/null
check "a worker does not serve who has no token" wait_until 180 is stranger Failed
# Its namespace's secret does not make up for the worker's name, which the operator tells only whose worker it is.
part_of_gpu neighbour 25 512Mi sh -c "TF_WORKER_HOST=$address TF_WORKER_PORT=8000 TF_CONNECT_TIMEOUT=10 exec python3 /programs/device.py" >/dev/null
check "nor a neighbour" wait_until 180 is neighbour Failed
check "who is told why" grep -q "refused the token" <(kubectl logs neighbour -c program)
forget stranger neighbour

# The operator is gone when the pod asks.
part_of_gpu lonely 25 512Mi sh -c "TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL=http://$host:9/api/connection TF_CONNECT_TIMEOUT=5 exec python3 /programs/device.py" >/dev/null
check "without an operator a program ends with an error" wait_until 180 is lonely Failed
check "and a line about it" grep -q "TensorFusion" <(kubectl logs lonely -c program)
forget_all lonely patient
