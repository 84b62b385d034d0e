# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh has them
# Sourced by run.sh: pods for the cases, in the namespace default, and what is asked about them.
part_of_gpu() { # NAME PERCENT MEMORY PROGRAM...: a pod that borrows so much of a GPU of the other node; with NEAR=true, of its own
  local name=$1 percent=$2 memory=$3 near=${NEAR:-false} node=cpu-node-1
  if [[ $near == true ]]; then node=gpu-node-1; fi
  shift 3
  local command
  command=$(printf '%s\n' "$@" | jq -R . | jq -sc .)
  kubectl apply -f - <<END
apiVersion: v1
kind: Pod
metadata:
  name: $name
  labels: {tensor-fusion.ai/enabled: "true"}
  annotations:
    tensor-fusion.ai/vendor: AMD
    tensor-fusion.ai/isolation: hard
    tensor-fusion.ai/is-local-gpu: "$near"
    tensor-fusion.ai/gpupool: $(amd_pools)
    tensor-fusion.ai/compute-percent-request: "$percent"
    tensor-fusion.ai/compute-percent-limit: "$percent"
    tensor-fusion.ai/vram-request: $memory
    tensor-fusion.ai/vram-limit: $memory
    tensor-fusion.ai/inject-container: program
spec:
  restartPolicy: Never
  nodeSelector: {kubernetes.io/hostname: $node}
  containers:
    - {name: program, image: rocm/pytorch, command: $command}
END
}

has_worker() { [[ -n $(worker_of "$1") ]]; }
phase() { kubectl get pod "$1" -o 'jsonpath={.status.phase}'; }
is() { [[ $(phase "$1") == "$2" ]]; } # POD PHASE
value() { kubectl logs "$1" -c program | sed -n "s/^$2=//p" | tail -n 1; } # POD NAME: of what it printed
printed() { [[ -n $(value "$1" after) ]]; } # by programs/device.py, when it has tried everything
forget() { end_pods "$@" >/dev/null; }
gpu_is_free() { [[ -n $(free_gpus) ]]; }
forget_all() { forget "$@" && wait_until 120 gpu_is_free; } # the next case finds the GPU as this one did
