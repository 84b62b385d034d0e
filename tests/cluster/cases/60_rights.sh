# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# What the operator made of our template for workers, and whom the policy is about. Who may do what is asked in charts.
part_of_gpu guarded 25 512Mi python3 /programs/patient.py >/dev/null
check "guarded gets a worker" wait_until 120 has_worker guarded
worker=$(worker_of guarded)
of_worker() { kubectl get pod "$worker" -o json | jq -e "$1"; }
check "a worker has no token of the API server" of_worker '[.spec.volumes[]? | select(.projected)] == []'
check "it may gain no rights" of_worker '.spec.containers[0].securityContext.allowPrivilegeEscalation == false'
check "it has five capabilities" of_worker '.spec.containers[0].securityContext.capabilities | .drop == ["ALL"] and (.add | length) == 5'
check "it has probes" of_worker '.spec.containers[0] | .startupProbe and .readinessProbe and .livenessProbe'
check "it is ready because it listens" wait_until 60 of_worker '.status.conditions | any(.type == "Ready" and .status == "True")'
check "the operator left our token in it" of_worker '.spec.containers[0].env | any(.name == "HIP_REMOTE_TOKEN" and .valueFrom.secretKeyRef.name == "gpu-token")'

# What that account may do is asked in charts.
check "it has the account of every pod" test "$(kubectl get pod "$worker" -o 'jsonpath={.spec.serviceAccountName}')" = default

# What a network plugin would do with the policy: whom it selects, and whom it lets in.
policy=$(kubectl get networkpolicy tensor-fusion-amd-workers -o json)
selector() { jq -r "$1"' | to_entries | map("\(.key)=\(.value)") | join(",")' <<<"$policy"; }
names() { kubectl get pods -l "$1" -o name | sort | tr '\n' ' '; }
check "the policy is about workers" test "$(names "$(selector .spec.podSelector.matchLabels)")" = "pod/$worker "
check "it lets in pods that borrow a GPU" test "$(names "$(selector '.spec.ingress[0].from[0].podSelector.matchLabels')")" = "pod/guarded "
check "to one port" test "$(jq -c '[.spec.ingress[].ports[].port]' <<<"$policy")" = '[8000]'
forget_all guarded
