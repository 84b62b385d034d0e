# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh has them
# Sourced by run.sh: files of the images that pods of this test are made from (node/images.py), in $work/images.
lay_images() {
  local images=$work/images
  mkdir -p "$images"/{stand_ins/usr/local/bin,programs/programs}
  "$root/deploy/docker/stage_client.sh" "$build" "$images/client" &&
    "$root/deploy/docker/stage_worker.sh" "$build" "$images/worker" &&
    "$root/deploy/docker/stage_provider.sh" "$build" "$images/provider" || return 1
  cp -r "$here/stand_ins" "$images/stand_ins/"
  cp "$(command -v kubectl)" "$images/stand_ins/usr/local/bin/kubectl"
  cp -r "$here/stand_ins/torch" "$images/programs/programs/"
  "${HIPCC:-hipcc}" --offload-arch=gfx90a --genco -O3 "$here/stand_ins/torch/kernels.hip" -o "$images/programs/programs/torch/kernels.co"
}
