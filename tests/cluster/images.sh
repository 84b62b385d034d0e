# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh has them
# Sourced by run.sh: files of the images that pods of this test are made from (node/images.py), in $work/images.
lay_images() {
  local images=$work/images
  mkdir -p "$images"/{operator,hypervisor/usr/local/bin,stand_ins,programs/programs}
  "$root/deploy/docker/stage_client.sh" "$build" "$images/client" &&
    "$root/deploy/docker/stage_worker.sh" "$build" "$images/worker" &&
    "$root/deploy/docker/stage_provider.sh" "$build" "$images/provider" || return 1
  # A pod whose program is not at hand fails, and so would a case that needs it: run.sh leaves those out.
  cp "$(command -v tensor-fusion-operator)" "$images/operator/manager" 2>/dev/null
  cp "$(command -v tensor-fusion-hypervisor)" "$images/hypervisor/usr/local/bin/hypervisor" 2>/dev/null
  cp -r "$here/stand_ins" "$images/stand_ins/"
  mkdir -p "$images/stand_ins/usr/local/bin"
  cp "$(command -v kubectl)" "$images/stand_ins/usr/local/bin/kubectl"
  # Programs that know nothing of where their GPU is, and what stands in for PyTorch.
  cp "$build/examples/matmul" "$build/examples/gpu_load" "$images/programs/programs/"
  cp "$here"/programs/*.py "$images/programs/programs/"
  cp -r "$here/stand_ins/torch" "$images/programs/programs/"
  "${HIPCC:-hipcc}" --offload-arch=gfx90a --genco -O3 "$here/stand_ins/torch/kernels.hip" -o "$images/programs/programs/torch/kernels.co"
}
