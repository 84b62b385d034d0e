#!/usr/bin/env bash
# Builds and publishes the images.
#   deploy/docker/images.sh build|push|sizes [provider|client|worker]...
# Variables: REGISTRY (none: names without one), VERSION (the project's), TOOL (docker, podman or buildah), ROCM_VERSION,
# AMDGPU_FAMILY, ROCM_TARBALL_URL (else AMD's) and ROCM_SHA256 (of its tarball; "unchecked" to take what comes), BUILD_BASE and
# SMALL_BASE (images by digest).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
what=${1:-} registry=${REGISTRY:+${REGISTRY%/}/}
version=${VERSION:-$(sed -n 's/^project(.*VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")}
tool=${TOOL:-docker}
export BUILDAH_FORMAT=docker # the other one has no health checks
case $what in build | push | sizes) shift ;; *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
if [[ $# -eq 0 ]]; then set -- provider client worker; fi
if [[ -z $version ]]; then echo "which version? (VERSION)" >&2; exit 1; fi

arguments=(--build-arg "VERSION=$version" --build-arg "REVISION=$(git -C "$root" rev-parse HEAD 2>/dev/null || echo unknown)")
for name in ROCM_VERSION AMDGPU_FAMILY ROCM_TARBALL_URL ROCM_SHA256 BUILD_BASE SMALL_BASE; do
  if [[ -n ${!name:-} ]]; then arguments+=(--build-arg "$name=${!name}"); fi
done
for image; do
  file=$root/deploy/docker/$image.Dockerfile name=${registry}hip-remote-$image:$version
  if [[ ! -e $file ]]; then echo "there is no image $image" >&2; exit 2; fi
  case $what in
    build) "$tool" build -f "$file" -t "$name" "${arguments[@]}" "$root" ;;
    push) "$tool" push "$name" ;;
    sizes) if [[ $tool == *buildah ]]; then "$tool" images --format "$name {{.Size}}" "$name"; else "$tool" image inspect --format "$name {{.Size}}" "$name"; fi ;;
  esac
done
