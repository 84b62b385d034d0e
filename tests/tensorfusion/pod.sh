#!/usr/bin/env bash
# A pod of TensorFusion without Kubernetes: the entrypoint of the client image fills a volume, its ld.so.preload lies at
# /etc/ld.so.preload in a mount namespace, the operator is fake_operator.py, the worker is the worker image's program on softgpu.
# Every program in there is untouched: no LD_LIBRARY_PATH, no LD_PRELOAD, no TF_WORKER_HOST.
#   tests/tensorfusion/pod.sh BUILD_DIR
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=checks.sh
source "$here/checks.sh"

if [[ ${1:-} != --inside ]]; then
  build=$(cd "${1:?usage: pod.sh BUILD_DIR}" && pwd)
  if [[ ! -e $build/lib/preload/libamdhip64.so ]]; then
    skip "the pod: this build has no preload libraries (only x86-64 has)"
    summary
    exit
  fi
  for options in "-m" "-rm"; do
    # shellcheck disable=SC2086
    if unshare $options true 2>/dev/null; then exec unshare $options "$0" --inside "$build"; fi
  done
  skip "the pod: neither root nor user namespaces: /etc/ld.so.preload cannot be tried here"
  summary
  exit
fi

build=$2
work=$(mktemp -d)
processes=()
cleanup() {
  if [[ $BASHPID -ne $$ ]]; then return; fi # a child that was killed before it became another program
  for process in "${processes[@]}"; do kill "$process" 2>/dev/null && wait "$process" 2>/dev/null; done
  umount -l /etc 2>/dev/null
  umount -l "$work/etc" 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

wait_for_file() { # FILE: until it has something in it
  for _ in $(seq 600); do
    if [[ -s $1 ]]; then return 0; fi
    sleep 0.05
  done
  echo "nothing in $1" >&2
  return 1
}
start_worker() { # [NAME=VALUE...]: as TensorFusion does; sets worker
  local log=$work/worker.$RANDOM.log
  : >"$log"
  env -C "$work/worker/opt/hip-remote/bin" HIP_REMOTE_SOFTGPU=gfx90a "$@" ./tensor-fusion-worker -p 0 --runtime softgpu >"$log" 2>&1 &
  worker=$!
  processes+=("$worker")
  for _ in $(seq 600); do
    if grep -q 'Listening on port' "$log"; then break; fi
    sleep 0.05
  done
  sed -n 's/.*Listening on port \([0-9]*\).*/\1/p' "$log" >"$work/worker_port"
  [[ -s $work/worker_port ]] || { cat "$log"; return 1; }
}

# The images, as their Dockerfiles make them.
check "stage the client image" "$root/deploy/docker/stage_client.sh" "$build" "$work/client"
check "stage the worker image" "$root/deploy/docker/stage_worker.sh" "$build" "$work/worker"
# A process that cannot load a preloaded library does not start: they must not ask for anything a container could lack.
for face in "$work"/client/hip-remote/preload/*; do
  newest=$(printf '%s\n' 2.17 "$(objdump -T "$face" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -Vu | tail -n 1)" | sort -V | tail -n 1)
  needs=$(readelf -d "$face" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  check "${face##*/} needs any C library and nothing else" test "$newest $needs" = "2.17 libc.so.6"
done
start_worker || { bad "the worker does not start"; summary; exit 1; }
head -c 3000 /dev/zero | tr '\0' 'j' >"$work/token"
python3 "$here/fake_operator.py" "$work/operator_port" "$work/worker_port" "$work/token" "$work/operator.log" &
processes+=($!)
wait_for_file "$work/operator_port" || exit 1

# What programs that have nothing to do with HIP print, before and after.
cat >"$work/bystanders.sh" <<'END'
sh -c 'echo shell; exit 3'; echo $?
ls -d / /etc; id -u; echo text | sed s/x/y/ | sort; env -i /bin/echo clean
python3 -c 'import os, subprocess; print(subprocess.run(["true"]).returncode, os.getpid() > 0)'
END
bash "$work/bystanders.sh" >"$work/before" 2>&1

# /etc of our own, so that the machine's stays as it is.
mkdir "$work/etc"
mount -t tmpfs none "$work/etc" && cp -a /etc/. "$work/etc/" 2>/dev/null
: >"$work/etc/ld.so.preload"
mount --bind "$work/etc" /etc || { bad "mounting /etc"; summary; exit 1; }
for abi in 6 7; do
  if [[ $(ldd "$build/abi/launch.$abi") != *"libamdhip64.so.$abi => not found"* ]]; then
    skip "launch.$abi: this machine has a libamdhip64.so.$abi"
  elif "$build/abi/launch.$abi" >/dev/null 2>&1; then
    bad "launch.$abi starts without the client"
  else
    ok "without the client launch.$abi does not start"
  fi
done

check "the client image's entrypoint" "$work/client/inject_client.sh" "$work/tensor-fusion"
check "it does the same on the GPU's own node" env RUN_INSIDE_GPU_NODE=true "$work/client/inject_client.sh" "$work/near"
check "where the client is in the pod, too" test "$(sed "s|^$work/near/|$work/tensor-fusion/|" "$work/near/ld.so.preload")" = "$(cat "$work/tensor-fusion/ld.so.preload")"
mount --bind "$work/tensor-fusion/ld.so.preload" /etc/ld.so.preload

bash "$work/bystanders.sh" >"$work/after" 2>&1
check "other programs do not notice" diff "$work/before" "$work/after"
loaded() { grep -c 'hip-remote/libamdhip64' "/proc/$1/maps"; }
sleep 60 &
bystander=$!
check "nor do they load the client" test "$(loaded "$bystander")" -eq 0
kill "$bystander"

operator="http://127.0.0.1:$(cat "$work/operator_port")"
export TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL="$operator/api/connection?name=pod-tf-vgpu-abc&namespace=default"
export HIP_REMOTE_SERVICE_ACCOUNT_TOKEN=$work/token HIP_REMOTE_STATS=$work/stats
unset LD_LIBRARY_PATH LD_PRELOAD TF_WORKER_HOST TF_WORKER_PORT
remote() { # NAME PROGRAM...: it passes, and it passed through the worker
  local name=$1
  shift
  rm -f "$work/stats"
  check "$name" timeout -k 5 120 "$@"
  if [[ -s $work/stats ]]; then ok "$name: on the worker"; else bad "$name: not on the worker"; fi
}

remote "the first program waits for its connection" "$build/abi/launch.7"
check "it asked until there was one" test "$(awk '{ printf "%s ", $1 }' "$work/operator.log")" = "404 404 200 "
# Each program has the ABI it was built for. (HIP 5 has no hipGetProcAddress, and one test looks for it in the whole process.)
for program in launch properties memory_types last_error; do
  for abi in 5 6 7; do remote "$program.$abi" "$build/abi/$program.$abi"; done
done
remote "another libamdhip64 in the container does not matter" env LD_LIBRARY_PATH="$build/lib/softgpu" "$build/abi/launch.7"
remote "a program whose kernels register themselves before main" "$build/examples/matmul"
# As Python wheels have it: the library is needed without a number, and AMD's lies beside the program.
for abi in 5 6 7; do
  mkdir "$work/wheel$abi"
  cp "$build/lib/softgpu/libamdhip64.so.$abi" "$work/wheel$abi/libamdhip64.so"
  check "build a program that needs libamdhip64.so ($abi)" c++ -std=c++17 -DABI=$abi -I"$root/tests/conformance" "$root/tests/abi/properties.cpp" \
    -L"$build/lib/preload" -l:libamdhip64.so -pthread -ldl -Wl,-rpath,"\$ORIGIN" -o "$work/wheel$abi/properties"
  remote "a program that needs libamdhip64.so ($abi)" "$work/wheel$abi/properties"
done
remote "libraries opened by name" python3 - <<'END'
import ctypes
for abi in (5, 6, 7):
    version = ctypes.c_int()
    assert ctypes.CDLL(f"libamdhip64.so.{abi}").hipRuntimeGetVersion(ctypes.byref(version)) == 0
    assert version.value // 10000000 == abi, version.value
count = ctypes.c_int()
assert ctypes.CDLL("libamdhip64.so").hipGetDeviceCount(ctypes.byref(count)) == 0 and count.value == 1
END
remote "the address itself, without an operator" env -u TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL \
  TENSOR_FUSION_OPERATOR_CONNECTION_INFO="native+127.0.0.1+$(cat "$work/worker_port")+w-1" "$build/abi/launch.6"
if env -u TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL TF_WORKER_PORT=1 timeout -k 5 60 "$build/abi/launch.7" >"$work/none" 2>&1; then
  bad "no worker is no error"
else
  check "without a worker a HIP program is told so" grep -q 'cannot use the worker' "$work/none"
fi
not_connected() { # NAME SAID [NAME=VALUE...]: HIP is not initialized, and one line says why
  local name=$1 said=$2 errors
  shift 2
  if ! env "$@" timeout -k 5 60 python3 - 2>"$work/said" <<'END'
import ctypes
hip = ctypes.CDLL("libamdhip64.so.7")
pointer = ctypes.c_void_p()
errors = [hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(64)) for _ in range(2)]
assert errors == [3, 3], errors  # hipErrorNotInitialized
END
  then bad "$name: another error: $(cat "$work/said")"; return; fi
  errors=$(grep -c . "$work/said")
  if [[ $errors -eq 1 ]] && grep -q "$said" "$work/said"; then ok "$name"; else bad "$name: said $errors lines: $(cat "$work/said")"; fi
}
not_connected "a refused token" "said 401.*service-account token" HIP_REMOTE_SERVICE_ACCOUNT_TOKEN=/dev/null
not_connected "garbage from the operator" "is not a TensorFusion connection" \
  TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL="$operator/api/connection?name=c&namespace=garbage"
not_connected "an operator that speaks another protocol" "TensorFusion's operator" \
  TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL="http://127.0.0.1:$(cat "$work/worker_port")/" TF_CONNECT_TIMEOUT=10
not_connected "a connection that is none" "is not a TensorFusion connection" TENSOR_FUSION_OPERATOR_CONNECTION_INFO=nonsense

# A worker goes, with a client at work, and another takes its place elsewhere.
bash -c 'while "$0"; do :; done' "$build/abi/launch.7" >/dev/null 2>&1 &
client=$!
processes+=("$client")
start=$SECONDS
kill -TERM "$worker"
wait "$worker"
check "the worker ended by itself when told to" test $? -eq 0
check "in good time ($((SECONDS - start)) s)" test $((SECONDS - start)) -le 10
kill "$client"
start_worker TF_GPU_MEMORY_LIMIT=64
remote "the next program finds the next worker" "$build/abi/launch.7"
remote "it gets as much memory as the pod may use" python3 - <<'END'
import ctypes
hip = ctypes.CDLL("libamdhip64.so.7")
pointer = ctypes.c_void_p()
assert hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(32 << 20)) == 0
assert hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(128 << 20)) == 2  # out of memory
free, total = ctypes.c_size_t(), ctypes.c_size_t()
assert hip.hipMemGetInfo(ctypes.byref(free), ctypes.byref(total)) == 0
assert total.value == 64 << 20 and free.value <= 32 << 20, (total, free)
assert hip.hipDeviceTotalMem(ctypes.byref(total), 0) == 0 and total.value == 64 << 20, total
END
check "the worker listens on all addresses" test -n "$(ss -ltnH "sport = :$(cat "$work/worker_port")" | grep -E '(\*|0\.0\.0\.0|\[::\]):')"

# With a secret that all pods of a namespace have, each worker has a token of its own, made of its name.
export HIP_REMOTE_TOKEN=a-secret-of-the-namespace
start_worker POD_NAME=pod-tf-vgpu-one
port=$(cat "$work/worker_port")
named() { # POD: what the operator would say of a worker with that name, at this one's address
  env -u TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL TENSOR_FUSION_OPERATOR_CONNECTION_INFO="native+127.0.0.1+$port+$1-4711" timeout -k 5 60 "$build/abi/launch.7"
}
neighbour() { ! named pod-tf-vgpu-two; }
stranger() { ! TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=$port timeout -k 5 60 "$build/abi/launch.7"; }
check "a worker serves the pod to whom the operator has named it" named pod-tf-vgpu-one
check "not one that was given another" neighbour
check "nor one that has its address and the secret" stranger

# In the pod of its client, for a GPU of its own node: both know a name in the volume that they have at /dev/shm.
name=hip-remote-pod-$$ log=$work/sidecar.log
start_in_pod() { # MEGABYTES; sets worker
  env -C "$work/worker/opt/hip-remote/bin" HIP_REMOTE_SOFTGPU=gfx90a POD_NAME=pod-1 ./tensor-fusion-worker -n shmem -m "$name" -M "$1" --runtime softgpu >"$log" 2>&1 &
  worker=$!
  processes+=("$worker")
}
unset TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL
export TENSOR_FUSION_OPERATOR_CONNECTION_INFO=shmem+$name+1024+1 POD_NAME=pod-1
start_in_pod 1024
remote "a program waits for the worker in its pod, and uses it" "$build/abi/launch.7"
check "they share memory" grep -q 'transport=shm' "$work/stats"
check "containers of all users reach it" test "$(stat -c %a "/dev/shm/$name.hip-remote")" = 666
check "no other pod does" test -z "$(ss -ltnpH | grep "pid=$worker,")"
another_pod() { ! POD_NAME=pod-2 timeout -k 5 60 "$build/abi/launch.7"; }
check "nor with another pod's token" another_pod
kill -TERM "$worker"
wait "$worker"
check "it ends by itself when told to" test $? -eq 0
check "and takes its name with it" test ! -e "/dev/shm/$name.hip-remote"
start_in_pod 3 # of which a client takes two
mkfifo "$work/go_on"
python3 -c 'import ctypes, sys; print(ctypes.CDLL("libamdhip64.so.7").hipFree(None), flush=True); open(sys.argv[1]).read()' "$work/go_on" >"$work/first" &
first=$!
check "a program uses the memory that its pod has for it" wait_for_file "$work/first"
second() { TF_CONNECT_TIMEOUT=2 timeout -k 5 60 "$build/abi/launch.7"; }
not_yet() { ! second; }
check "a second one finds none left" not_yet
: >"$work/go_on"
wait "$first"
check "the first one did" test "$(cat "$work/first")" = 0
check "until that has ended" second
kill -TERM "$worker"
wait "$worker"
start_in_pod 2
if wait "$worker"; then bad "less memory than one client takes will do"; else check "less than one client takes is an error" grep -q 'too little for one client' "$log"; fi
summary
