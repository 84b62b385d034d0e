#!/usr/bin/env bash
# TensorFusion in a cluster: a real API server, TensorFusion's own operator, scheduler and hypervisor, our charts, provider, worker
# and client, on nodes that are processes of this machine. README.md says what it needs and what each case is.
#   tests/cluster/run.sh BUILD_DIR [CASE...]        a case is a file of cases/, without its number; all of them unless named
# KEEP=1 leaves everything running until Enter is pressed, with a shell's KUBECONFIG printed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../tensorfusion/checks.sh
source "$root/tests/tensorfusion/checks.sh"
python=/usr/bin/python3

if [[ ${1:-} != --inside ]]; then
  build=$(cd "${1:?usage: run.sh BUILD_DIR [CASE...]}" && pwd)
  export PATH=${CLUSTER_PROGRAMS:-$build/cluster}:$PATH
  missing=()
  for program in etcd kube-apiserver kubectl helm jq openssl hipcc; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  if [[ ! -e ${TENSOR_FUSION_CHART:-}/Chart.yaml ]]; then missing+=("TensorFusion's chart (TENSOR_FUSION_CHART)"); fi
  if ! "$python" -c 'import grpc, yaml' 2>/dev/null; then missing+=(python3-grpcio python3-yaml); fi
  if [[ $EUID -ne 0 ]] || ! unshare -mn true 2>/dev/null; then missing+=("a user who may make namespaces (root)"); fi
  if [[ ${#missing[@]} -gt 0 ]]; then
    skip "the cluster: this machine has no ${missing[*]}; see tests/cluster/README.md"
    summary
    exit
  fi
  exec unshare -mn --propagation private "$0" --inside "$build" "${@:2}"
fi

build=$2
shift 2
work=$(mktemp -d)
mount -t tmpfs -o size=4g none "$work" # an image's files must not lie in the system over which they are laid
mount -t tmpfs none /dev/shm # where software GPUs tell what they use: other ones of this machine are none of ours
processes=()
cleanup() {
  if [[ $BASHPID -ne $$ ]]; then return; fi
  for ((i = ${#processes[@]} - 1; i >= 0; i--)); do kill "${processes[i]}" 2>/dev/null && wait "${processes[i]}" 2>/dev/null; done
  if [[ $failed -gt 0 ]]; then
    mkdir -p "$build/logs"
    tar -czf "$build/logs/cluster.tar.gz" -C "$work" --ignore-failed-read --exclude=etcd --exclude=images --exclude='pods/*/*/root' . 2>/dev/null
    echo "logs: $build/logs/cluster.tar.gz"
  fi
  umount -l "$work" && rmdir "$work"
}
trap cleanup EXIT

# shellcheck source-path=SCRIPTDIR source=plane.sh
source "$here/plane.sh"
# shellcheck source-path=SCRIPTDIR source=images.sh
source "$here/images.sh"
# shellcheck source-path=SCRIPTDIR source=pod.sh
source "$here/pod.sh"
# shellcheck source-path=SCRIPTDIR source=documented.sh
source "$here/documented.sh"
# shellcheck source-path=SCRIPTDIR source=../../scripts/amd_cluster.sh
source "$root/scripts/amd_cluster.sh"
check "images" lay_images
lay_network && make_keys
touch "$work/hosts" && mount --bind "$work/hosts" /etc/hosts # names of services, kept by the nodes
if ! start_control_plane || ! start_nodes; then bad "the cluster does not start"; summary; exit 1; fi
ok "a cluster with two nodes"
cases=("$@")
for file in "$here"/cases/*.sh; do
  name=$(basename "$file" .sh)
  if [[ ${#cases[@]} -gt 0 && " ${cases[*]} " != *" ${name#*_} "* ]]; then continue; fi
  echo "-- ${name#*_}"
  # A case says in its second line which programs of TensorFusion's it is about.
  read -r -a needed < <(sed -n '2s/^# needs: *//p' "$file")
  absent=()
  for program in "${needed[@]}"; do command -v "$program" >/dev/null || absent+=("$program"); done
  if [[ ${#absent[@]} -gt 0 ]]; then
    skip "the cluster's case ${name#*_}: this machine has no ${absent[*]}; see tests/cluster/README.md"
    continue
  fi
  # shellcheck disable=SC1090
  source "$file"
done
if [[ ${KEEP:-} ]]; then
  echo "KUBECONFIG=$work/kubeconfig, in the namespaces of process $$ (nsenter -t $$ -m -n); Enter ends it"
  read -r
fi
summary
