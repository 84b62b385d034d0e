# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# The documented removal, with a pod at work, and then the documented installation once more.
part_of_gpu last 25 512Mi python3 /programs/patient.py >/dev/null
at_work() { [[ $(value last error) == 0 ]]; }
check "a pod is at work" wait_until 180 at_work
check "the documented commands: remove it" as_written "$(documented 'helm uninstall tensor-fusion-sys')"
left() { kubectl get "$1" -A -o name 2>/dev/null | wc -l; }
for kind in tensorfusionclusters gpupools gpunodes tensorfusionconnections tensorfusionworkloads; do check "no $kind are left" test "$(left "$kind.tensor-fusion.ai")" -eq 0; done
no_pods() { [[ $(kubectl get pods -n tensor-fusion-sys -o name | wc -l) -eq 0 ]]; }
check "nor any of its pods" wait_until 60 no_pods
check "the documented commands: label the nodes again" as_written "$(documented 'kubectl label node gpu-node-1')"
check "the documented commands: install it again" as_written "$(documented 'helm install tensor-fusion-sys')"
check "there is a GPU again" wait_until 300 gpu_is_free
