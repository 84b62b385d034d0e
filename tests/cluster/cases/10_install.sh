# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# The documented installation, and what is tried after it: a whole GPU, half of one, and scripts/test-amd-cluster.sh, which looks at
# sharing, limits and metrics, too. All cases that need the operator need what this one installs.
mkdir -p "$work/nodes/gpu-node-1/opt/rocm" # a node with only the driver has an empty one
check "the documented commands: label the nodes" as_written "$(documented 'kubectl label node gpu-node-1')"
check "the documented commands: install" as_written "$(documented 'helm install tensor-fusion-sys')"
check "the documented commands: a token and the policy" as_written "$(documented 'kubectl create secret')"
check "there is a GPU" wait_until 300 gpu_is_free
check "the documented commands: try it, by hand and by scripts/test-amd-cluster.sh" as_written "$(documented scripts/test-amd-cluster.sh)"
