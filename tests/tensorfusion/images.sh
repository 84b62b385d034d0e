#!/usr/bin/env bash
# The images, built whole and used: deploy/docker/images.sh with buildah, on bases made by mmdebstrap, with HIP of this machine's
# packages in the place of AMD's tarball. Then a kernel, from a container with the client to one of the worker, on the software GPU.
#   tests/tensorfusion/images.sh BUILD_DIR       Variables: WORK (a folder to keep; else one that is removed), UBUNTU (its mirror)
# UBUNTU_KEYRING (for mmdebstrap), EXTRA_CA (certificates to trust, where a proxy looks into TLS). Needs root, the network and 5 GB; compiles most of the project, once for each image. Not a part of ./test.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=checks.sh
source "$here/checks.sh"
build=$(cd "${1:?usage: images.sh BUILD_DIR}" && pwd)
for program in buildah mmdebstrap dpkg-deb jq; do
  if ! command -v "$program" >/dev/null; then skip "the images: $program is not installed"; summary; exit; fi
done
if [[ $EUID -ne 0 ]]; then skip "the images: needs root"; summary; exit; fi
work=${WORK:-$(mktemp -d)}
processes=()
cleanup() {
  for process in "${processes[@]}"; do kill "$process" 2>/dev/null; done
  if [[ -z ${WORK:-} ]]; then buildah rm --all >/dev/null; buildah rmi --all --force >/dev/null; rm -rf "$work"; fi
}
trap cleanup EXIT
printf '[storage]\ndriver = "overlay"\ngraphroot = "%s"\nrunroot = "%s"\n' "$work/storage" "$work/run" >"$work/storage.conf"
export CONTAINERS_STORAGE_CONF=$work/storage.conf BUILDAH_ISOLATION=chroot BUILDAH_LAYERS=true TOOL=buildah
version=$(sed -n 's/^project(.*VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
image() { echo "localhost/hip-remote-$1:$version"; }

# --- bases
commit_base() { # NAME TAR: once, or all that is built on it would be built again
  local container
  if buildah inspect --type image "$1" >/dev/null 2>&1; then return; fi
  container=$(buildah from scratch) && buildah add -q "$container" "$2" / &&
    buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${EXTRA_CA:+--env PIP_CERT=/etc/ssl/extra.crt} "$container" || return 1
  if [[ -n ${EXTRA_CA:-} ]]; then buildah add -q "$container" "$EXTRA_CA" /etc/ssl/extra.crt || return 1; fi
  buildah commit -q "$container" "$1" && buildah rm "$container"
}
build_base() { # Ubuntu 22.04, as in the Dockerfiles
  [[ -e $work/ubuntu.tar ]] || mmdebstrap --quiet --variant=apt --components=main,universe ${UBUNTU_KEYRING:+--keyring="$UBUNTU_KEYRING"} \
    jammy "$work/ubuntu.tar" "${UBUNTU:-http://archive.ubuntu.com/ubuntu}" || return 1
  commit_base localhost/build-base:1 "$work/ubuntu.tar"
}
small_base() { # busybox, and its names
  mkdir -p "$work/busybox/bin"
  (cd "$work" && apt-get download -q busybox-static && dpkg-deb -x busybox-static_*.deb "$work/unpacked") || return 1
  cp "$work/unpacked/bin/busybox" "$work/busybox/bin/" && "$work/busybox/bin/busybox" --install -s "$work/busybox/bin"
  for name in "$work"/busybox/bin/*; do [[ ! -L $name ]] || ln -sfn busybox "$name"; done
  tar -cf "$work/busybox.tar" -C "$work/busybox" . && commit_base localhost/small-base:1 "$work/busybox.tar"
}
# HIP 5 of Debian's packages; its SMI is of a later Debian, which a container of Ubuntu 22.04 cannot load: it is only copied.
rocm() {
  local lib=$work/rocm/lib name
  mkdir -p "$work/rocm"/{bin,include,lib,.info}
  echo 5.2.3 >"$work/rocm/.info/version"
  for name in libamdhip64.so.5 libhsa-runtime64.so.1 libhsakmt.so.1 libdrm.so.2 libdrm_amdgpu.so.1; do cp -L "/usr/lib/x86_64-linux-gnu/$name" "$lib/" || return 1; done
  ln -sfn libamdhip64.so.5 "$lib/libamdhip64.so"
  curl -sSf -o "$work/smi.deb" "http://deb.debian.org/debian/pool/main/a/amdsmi/libamd-smi0_6.1.2+ds-2_amd64.deb" && dpkg-deb -x "$work/smi.deb" "$work/smi" || return 1
  cp -P "$work"/smi/usr/lib/x86_64-linux-gnu/libamd_smi.so.0* "$lib/" && ln -sfn libamd_smi.so.0 "$lib/libamd_smi.so"
  tar -czf "$work/rocm.tar.gz" -C "$work/rocm" .
}
check "a base to build on" build_base
check "a base for what needs next to nothing" small_base
check "a ROCm" rocm
python3 -m http.server --bind 127.0.0.1 --directory "$work" 18099 >/dev/null 2>&1 &
processes+=($!)

# --- built
hash=$(sha256sum "$work/rocm.tar.gz" | cut -d ' ' -f 1)
export BUILD_BASE=localhost/build-base:1 SMALL_BASE=localhost/small-base:1 ROCM_VERSION=5.2.3 ROCM_TARBALL_URL=http://127.0.0.1:18099/rocm.tar.gz
for name in client worker provider; do
  if ! ROCM_SHA256=$hash "$root/deploy/docker/images.sh" build "$name" >"$work/$name.log" 2>&1; then bad "build $name: $(tail -n 5 "$work/$name.log")"; summary; exit 1; fi
  ok "build $name"
done
if ROCM_SHA256=${hash//[0-9]/0} "$root/deploy/docker/images.sh" build worker >/dev/null 2>&1; then bad "a tarball that was changed is taken"; else ok "a tarball that was changed is refused"; fi

# --- what is in them
mounted() { buildah mount "$(buildah from "$(image "$1")")"; }
declare -A place
for name in client worker provider; do place[$name]=$(mounted "$name"); done
config() { buildah inspect --type image "$(image "$1")" | jq -r "$2"; } # IMAGE QUESTION
for name in client provider; do check "$name is not root" test "$(config $name .Docker.config.User)" = 65532:65532; done
for name in client worker provider; do
  check "$name says what it is" test "$(config $name '.Docker.config.Labels["org.opencontainers.image.title"]')" = "hip-remote-$name"
  bill=${place[$name]}/usr/share/sbom/hip-remote-$name.spdx.json
  check "$name: its bill of materials has files" test "$(jq '.files | length' "$bill")" -ge 2
  check "$name: and they are there" test -z "$(jq -r '.files[].fileName' "$bill" | while read -r file; do [[ -e ${place[$name]}/$file ]] || echo "$file"; done)"
  check "$name has no compiler" test -z "$(find "${place[$name]}" -xdev -type f -perm -1 \( -name '*gcc*' -o -name 'g++*' -o -name 'clang*' -o -name 'cc1*' -o -name 'cmake' -o -name 'ld.*bfd' \))"
done
check "the worker has a health check" test "$(config worker '.Docker.config.Healthcheck.Test[0]')" = CMD

# --- used
libraries() { buildah run "$1" -- ldd "$2" | grep 'not found'; }
in_worker=$(buildah from "$(image worker)")
check "AMD's runtime finds all that it needs in the worker's image" test -z "$(libraries "$in_worker" /opt/rocm/lib/libamdhip64.so)"
mapfile -t command < <(config worker '.Docker.config.Cmd[]')
check "the worker's command is TensorFusion's" test "${command[*]}" = "./tensor-fusion-worker -p 8000"
no_gpu() { timeout 20 buildah run "$in_worker" -- ./tensor-fusion-worker -p 18098 >"$work/no_gpu.log" 2>&1; grep 'Runtime: libamdhip64.so.5' "$work/no_gpu.log" && grep 'No device' "$work/no_gpu.log"; }
check "AMD's runtime starts there, and finds no GPU" no_gpu
buildah run --env HIP_REMOTE_SOFTGPU=gfx90a --env POD_NAME=pod-1 --env HIP_REMOTE_TOKEN=a-token-of-this-test "$in_worker" -- "${command[0]}" -p 18098 >"$work/worker_run.log" 2>&1 &
processes+=($!)
until (exec 3<>/dev/tcp/127.0.0.1/18098) 2>/dev/null; do
  if ! kill -0 "${processes[-1]}" 2>/dev/null; then bad "the worker does not start: $(cat "$work/worker_run.log")"; summary; exit 1; fi
  sleep 0.5
done
ok "the worker's image listens"
mkdir -m 777 "$work/tensor-fusion"
mapfile -t entrypoint < <(config client '.Docker.config.Entrypoint[]')
check "the client's image fills the volume" buildah run -v "$work/tensor-fusion:/tensor-fusion" "$(buildah from "$(image client)")" -- "${entrypoint[@]}"
program=$(buildah from localhost/build-base:1)
in_pod() { # PROGRAM...: in a container that knows nothing of GPUs but has the volume
  timeout 300 buildah run -v "$work/tensor-fusion:/tensor-fusion:ro" -v "$work/tensor-fusion/ld.so.preload:/etc/ld.so.preload:ro" -v "$build/examples:/programs:ro" \
    --env TENSOR_FUSION_OPERATOR_CONNECTION_INFO=native+127.0.0.1+18098+pod-1-7 --env HIP_REMOTE_TOKEN="${token:-a-token-of-this-test}" "$program" -- "$@"
}
check "a kernel runs through both" in_pod /programs/matmul
check "it computed what it should" grep -q correct <(in_pod /programs/matmul)
refused() { ! token=another-token-altogether in_pod /programs/matmul; }
check "and not with another token" refused
mkdir -m 777 "$work/node"
check "the provider's image fills the node's folder" buildah run -v "$work/node:/run/tensor-fusion" "$(buildah from "$(image provider)")" -- sh -c 'cp -r /build/. /run/tensor-fusion'
devices='import ctypes, sys; l = ctypes.CDLL(sys.argv[1]); n = ctypes.c_size_t(); assert l.AccelInit() == 0 and l.AccelGetDeviceCount(ctypes.byref(n)) == 0 and n.value == 1'
check "and what it puts there finds a GPU" env HIP_REMOTE_SOFTGPU=gfx90a python3 -c "$devices" "$work/node/lib/libaccelerator_amd.so"
"$root/deploy/docker/images.sh" sizes

# --- published
if command -v docker-registry >/dev/null; then
  export REGISTRY=127.0.0.1:18097 CONTAINERS_REGISTRIES_CONF=$work/registries.conf
  printf '[[registry]]\nlocation = "%s"\ninsecure = true\n' "$REGISTRY" >"$work/registries.conf"
  printf 'version: 0.1\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: "%s"}\n' "$work/registry" "$REGISTRY" >"$work/registry.yml"
  docker-registry serve "$work/registry.yml" >"$work/registry.log" 2>&1 &
  processes+=($!)
  published() { until curl -sf "http://$REGISTRY/v2/" >/dev/null; do kill -0 "${processes[-1]}" || return 1; sleep 0.2; done; "$root/deploy/docker/images.sh" push; }
  for name in client worker provider; do buildah tag "$(image "$name")" "$REGISTRY/hip-remote-$name:$version"; done
  check "images.sh push" published
  check "they can be pulled" test "$(curl -sf "http://$REGISTRY/v2/_catalog" | jq -c .repositories)" = '["hip-remote-client","hip-remote-provider","hip-remote-worker"]'
else
  skip "publishing the images: docker-registry is not installed"
fi
summary
