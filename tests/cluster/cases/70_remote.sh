# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# scripts/test-amd-remote-gpu.sh with TensorFusion.
check "scripts/test-amd-remote-gpu.sh tensor-fusion passes" env TIMEOUT=300 "$root/scripts/test-amd-remote-gpu.sh" tensor-fusion
forget_all pytorch-amd-remote
