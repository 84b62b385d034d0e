#!/usr/bin/env bash
# Everything under deploy/ that can be checked without a cluster, without Docker and without a network.
#   tests/tensorfusion/deploy.sh BUILD_DIR
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: deploy.sh BUILD_DIR}" && pwd)
# shellcheck source-path=SCRIPTDIR source=checks.sh
source "$here/checks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 1
objects() { python3 "$here/check_yaml.py" objects "$@"; }

# --- YAML
for sample in deploy/samples/*.yaml; do
  if [[ $sample == *gpu-info* ]]; then continue; fi # a list inside a ConfigMap
  check "$sample" objects "$sample"
done
check "gpu-info-amd.yaml parses" python3 -c 'import sys, yaml; assert all(i["vendor"] == "AMD" for i in yaml.safe_load(open(sys.argv[1])))' deploy/samples/gpu-info-amd.yaml
check "values-amd.yaml takes effect" python3 "$here/check_yaml.py" values deploy/helm/values-amd.yaml
check "metadata.yaml" python3 "$here/check_yaml.py" metadata deploy/docker/metadata.yaml
check "derive_values.py" python3 "$here/derive_values_test.py"
# The chart of today, where it is at hand: a folder, or whatever else helm takes.
if [[ -z ${TENSOR_FUSION_CHART:-} ]]; then
  skip "TensorFusion's own chart: TENSOR_FUSION_CHART names none"
else
  chart_values() { if [[ -e $TENSOR_FUSION_CHART/values.yaml ]]; then cat "$TENSOR_FUSION_CHART/values.yaml"; else helm show values "$TENSOR_FUSION_CHART"; fi; }
  chart_values >"$work/chart-values.yaml"
  check "derive_values.py for TensorFusion's own chart" python3 "$here/derive_values_test.py" "$work/chart-values.yaml"
fi
# The check itself must see what it is for.
noticed() { # WHAT SED: a sample with that change is refused
  sed "$2" deploy/samples/gpupool-amd.yaml >"$work/changed.yaml"
  if objects "$work/changed.yaml" >/dev/null; then bad "$1 goes unnoticed"; else ok "$1 is noticed"; fi
}
noticed "a field nobody knows" 's/enableVector/enableVectr/'
noticed "a template that the operator replaces" '/- name: vector/d'
noticed "a file of metrics that nobody reads" 's|/logs/metrics.log.hypervisor|metrics.log|'
noticed "a pool where nobody gets a part of a GPU" 's/defaultIsolationMode: hard/defaultIsolationMode: shared/'
noticed "a worker without a probe" '/startupProbe/d'
noticed "a worker with a token of the API server" '/automountServiceAccountToken/d'
noticed "a worker that the policy does not find" 's|hip-remote/worker|hip-remote/other|'
noticed "a zero that does not hold" 's|^  nodeManagerConfig:|    oversubscription: {vramExpandToHostMem: 0, vramExpandToHostDisk: 1, tflopsOversellRatio: 200}\n&|'

# --- charts
for chart in deploy/helm/*/; do
  check "$chart: Chart.yaml and values.yaml parse" python3 -c 'import sys, yaml; [yaml.safe_load(open(f)) for f in sys.argv[1:]]' "$chart/Chart.yaml" "$chart/values.yaml"
done
render() { # CHART OPTION...: objects of a chart, checked
  local chart=$1
  shift
  helm template gpus "deploy/helm/$chart" "$@" >"$work/rendered.yaml" && objects "$work/rendered.yaml"
}
refused() { # CHART OPTION...
  if helm template gpus "deploy/helm/$1" "${@:2}" >/dev/null 2>&1; then return 1; fi
}
if command -v helm >/dev/null; then
  for chart in tensor-fusion-amd hip-worker; do check "helm lint $chart" helm lint --strict "deploy/helm/$chart"; done
  check "render tensor-fusion-amd" render tensor-fusion-amd
  check "oversubscription in part is refused" refused tensor-fusion-amd --set pool.oversubscription.vramExpandToHostMem=0
  check "render it without root" render tensor-fusion-amd --set 'pool.worker.deviceGroups={44,109}' --set token.secret=gpu-token
  check "it names the groups" grep -A2 'supplementalGroups:' "$work/rendered.yaml"
  check "client and worker get the token" test "$(grep -c 'name: gpu-token' "$work/rendered.yaml")" -eq 2
  check "it has no capabilities" test "$(grep -c 'add:' "$work/rendered.yaml")" -eq 0
  check "render a policy for each namespace" render tensor-fusion-amd --set 'networkPolicy.namespaces={one,two}'
  check "there are two" test "$(grep -c 'kind: NetworkPolicy' "$work/rendered.yaml")" -eq 2
  check "render it without vector" render tensor-fusion-amd --set pool.enableVector=false
  if [[ -n ${TENSOR_FUSION_CHART:-} ]]; then
    their_chart() { # it renders with our values, and its scheduler gets them
      deploy/helm/derive_values.py <"$work/chart-values.yaml" >"$work/amd.yaml" &&
        helm template tensor-fusion-sys "$TENSOR_FUSION_CHART" -n tensor-fusion-sys -f "$work/amd.yaml" >"$work/theirs.yaml" &&
        grep -q 'name: amd.com/gpu' "$work/theirs.yaml" && ! grep -q nvidia.com/gpu "$work/theirs.yaml"
    }
    check "render TensorFusion's own chart with our values" their_chart
  fi
  check "render it with everything set" render tensor-fusion-amd --set 'provider.extraEnv[0].name=A' --set 'provider.extraEnv[0].value=b' \
    --set 'pool.client.env[0].name=TF_DEBUG' --set-string 'pool.client.env[0].value=1' --set pool.name=other \
    --set 'pool.hypervisor.args={--metrics-interval=15s}' --set 'pool.worker.env[0].name=HIP_REMOTE_SOFTGPU' --set 'pool.worker.env[0].value=gfx90a'
  check "the hypervisor gets its arguments" grep -A2 -e '--metrics-output-path=/logs/metrics.log.hypervisor' "$work/rendered.yaml"
  check "workers get theirs" grep -q 'value: gfx90a' "$work/rendered.yaml"
  check "render hip-worker: every node" render hip-worker
  check "it makes the token's Secret that the sample uses" grep -q 'name: gpus-token' "$work/rendered.yaml"
  check "render hip-worker: a Secret of the user's" render hip-worker --set token.existingSecret=mine
  check "it mounts that" grep -q 'secretName: mine' "$work/rendered.yaml"
  check "and makes none" test "$(grep -c 'kind: Secret' "$work/rendered.yaml")" -eq 0
  check "a short token is refused" refused hip-worker --set token.value=short
  check "render hip-worker: a deployment with device plugin" render hip-worker --set kind=Deployment,devices=devicePlugin,gpusPerWorker=2,replicas=3
  check "it asks for its GPUs" grep -q 'amd.com/gpu: 2' "$work/rendered.yaml"
  check "render hip-worker: software GPU, headless, metrics" render hip-worker \
    --set devices=none,runtime=softgpu,softgpu=gfx90a,service.type=None,metrics.port=9100,metrics.podMonitor=true
  check "Prometheus shows no token, which the page would refuse" test "$(grep -ci authorization "$work/rendered.yaml")" -eq 0
  check "an unknown kind is refused" refused hip-worker --set kind=Job
else
  skip "rendering the charts: helm is not installed"
fi

# --- shell scripts
if command -v shellcheck >/dev/null; then
  for script in deploy/docker/*.sh scripts/*amd*.sh tests/tensorfusion/*.sh tests/cluster/*.sh tests/cluster/*/*.sh provider/test/*.sh; do check "shellcheck $script" shellcheck -x "$script"; done
else
  skip "shell scripts: shellcheck is not installed"
fi

# --- Dockerfiles: the files they copy and the scripts they run exist; their steps are run below and in pod.sh
for file in deploy/docker/*.Dockerfile; do
  missing=$(grep -oE '(^COPY |/source/)deploy/docker/[a-z_.]+' "$file" | grep -oE 'deploy/docker/[a-z_.]+' | sort -u | while read -r path; do [[ -x $path ]] || echo "$path"; done)
  check "$file: what it uses exists" test -z "$missing"
  targets=$(tr -d '\\\n' <"$file" | grep -oE 'build\.sh /source /made[a-z0-9_ -]+' | sed 's/.*\/made//; s/ *RUN.*//')
  for target in $targets; do check "$file: there is a target $target" ninja -C "$build" -n "$target"; done
done
for file in deploy/docker/*.Dockerfile; do
  check "$file: bases have versions" test -z "$(grep -E '^(FROM|ARG [A-Z_]*BASE=)' "$file" | grep -E ':(latest|stable)|^FROM [a-z]+[^a-z: ]* *$' | grep -vE '^FROM (slim|build|stage) *$')"
  check "$file: it says what it is" grep -q 'org.opencontainers.image.licenses' "$file"
done
for image in client provider; do check "$image.Dockerfile: not root" grep -q '^USER 65532:65532$' deploy/docker/$image.Dockerfile; done
commands() { # what images.sh would run
  TOOL=echo REGISTRY=r.example VERSION=1.2 ROCM_SHA256=abc deploy/docker/images.sh "$@"
}
check "images.sh builds all of them" test "$(commands build | grep -c -- '-t r.example/hip-remote-[a-z]*:1.2 .*--build-arg ROCM_SHA256=abc')" -eq 3
check "images.sh pushes one" test "$(commands push worker)" = "push r.example/hip-remote-worker:1.2"
if command -v hadolint >/dev/null; then
  for file in deploy/docker/*.Dockerfile; do check "hadolint $file" hadolint --ignore DL3008 --ignore DL3013 "$file"; done
else
  skip "linting the Dockerfiles: hadolint is not installed"
fi
portable() { # configures as the images do, and looks at what would be linked
  deploy/docker/build.sh "$root" "$work/portable" help >/dev/null 2>&1 || return 1
  grep -q 'static-libstdc++' "$work/portable/build.ninja" && ! grep -qE 'lib(zstd|xxhash|sodium|z)\.so' "$work/portable/build.ninja"
}
check "an image's build links everything but the C library" env CC="${CC:-cc}" CXX="${CXX:-c++}" bash -c "$(declare -f portable); root=$root work=$work; portable"

# --- steps of the images
distribution() { # a tarball that looks like AMD's
  mkdir -p "$work/rocm"/{bin,lib,include,.info}
  echo 7.10.0 >"$work/rocm/.info/version"
  cp "$build/lib/libaccelerator_amd.so" "$work/rocm/lib/libamd_smi.so.26"
  ln -sf libamd_smi.so.26 "$work/rocm/lib/libamd_smi.so"
  # AMD's runtime, what it needs of ROCm, and something it does not.
  local lib=$work/rocm/lib
  mkdir -p "$lib/rocm_sysdeps/lib"
  make_library() { echo "int x;" | "${CC:-cc}" -shared -o "$1" -Wl,-soname,"$2" -xc - -xnone -Wl,--no-as-needed "${@:3}"; }
  make_library "$lib/rocm_sysdeps/lib/librocm_sysdeps_numa.so.1" librocm_sysdeps_numa.so.1
  make_library "$lib/libhsa-runtime64.so.1.18" libhsa-runtime64.so.1 "$lib/rocm_sysdeps/lib/librocm_sysdeps_numa.so.1"
  ln -sf libhsa-runtime64.so.1.18 "$lib/libhsa-runtime64.so.1"
  make_library "$lib/libamdhip64.so.7.1" libamdhip64.so.7 "$lib/libhsa-runtime64.so.1"
  ln -sf libamdhip64.so.7.1 "$lib/libamdhip64.so.7"
  ln -sf libamdhip64.so.7 "$lib/libamdhip64.so"
  make_library "$lib/librocblas.so.5" librocblas.so.5
  tar -czf "$work/rocm.tar.gz" -C "$work/rocm" .
}
distribution
install_rocm() { DESTDIR=$work/installed ROCM_TARBALL_URL=file://$1 deploy/docker/install_rocm_tarball.sh "${@:2}"; }
check "install ROCm from a tarball" install_rocm "$work/rocm.tar.gz" 7.10.0 gfx94X-dcgpu stable
check "it is where everything looks for it" test -e "$work/installed/opt/rocm/lib/libamd_smi.so.26"
tar -czf "$work/other.tar.gz" -C "$root" LICENSE
if install_rocm "$work/other.tar.gz" 1 x >/dev/null 2>&1; then bad "a tarball that is not ROCm is taken"; else ok "a tarball that is not ROCm is refused"; fi
if install_rocm "$work/rocm.tar.gz" 1 x weekly >/dev/null 2>&1; then bad "a release type nobody knows is taken"; else ok "a release type nobody knows is refused"; fi
rocm_hash=$(sha256sum "$work/rocm.tar.gz" | cut -d ' ' -f 1)
check "a tarball that is what it should be" env ROCM_SHA256="$rocm_hash" DESTDIR="$work/again" ROCM_TARBALL_URL="file://$work/rocm.tar.gz" \
  deploy/docker/install_rocm_tarball.sh 7.10.0 gfx94X-dcgpu
if ROCM_SHA256=${rocm_hash//[0-9]/0} install_rocm "$work/rocm.tar.gz" 7.10.0 x >/dev/null 2>&1; then bad "a tarball that was changed is taken"; else ok "a tarball that was changed is refused"; fi
check "stage the worker image" deploy/docker/stage_worker.sh "$build" "$work/worker" "$work/installed/opt/rocm"
staged=$(cd "$work/worker/opt/rocm" && find . -name '*.so*' | sort | tr '\n' ' ')
check "it has of ROCm what a worker loads, and no more" test "$staged" = "./lib/libamd_smi.so ./lib/libamd_smi.so.26 ./lib/libamdhip64.so ./lib/libamdhip64.so.7 ./lib/libamdhip64.so.7.1 ./lib/libhsa-runtime64.so.1 ./lib/libhsa-runtime64.so.1.18 ./lib/rocm_sysdeps/lib/librocm_sysdeps_numa.so.1 "
without_runtime() { rm "$work/installed/opt/rocm/lib/libamdhip64.so" && ! deploy/docker/stage_worker.sh "$build" "$work/broken" "$work/installed/opt/rocm"; }
check "a ROCm without its runtime is refused" without_runtime
if [[ $EUID -eq 0 && -e $build/lib/preload/libamdhip64.so ]]; then
  check "stage the client image" deploy/docker/stage_client.sh "$build" "$work/client"
  mkdir -m 777 "$work/volume" && chmod 755 "$work"
  check "its entrypoint needs no rights" setpriv --reuid 65532 --regid 65532 --clear-groups "$work/client/inject_client.sh" "$work/volume"
else
  skip "the entrypoint of the client's image without rights: needs root, and x86-64"
fi
check "stage the middleware image" deploy/docker/stage_provider.sh "$build" "$work/provider" "$work/installed/opt/rocm"
bill() { # IMAGE: its bill of materials names every file that is in it, with the hash that it has, and what is linked in
  deploy/docker/sbom.py "$work/$1" "hip-remote-$1" 1.2 >"$work/sbom.json" && python3 - "$work/$1" "$work/sbom.json" <<'END'
import hashlib, json, os, sys
root, bill = sys.argv[1], json.load(open(sys.argv[2]))
there = {"./" + os.path.relpath(os.path.join(folder, name), root): os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names}
there = {name: path for name, path in there.items() if not os.path.islink(path)}
listed = {file["fileName"]: {sum["algorithm"]: sum["checksumValue"] for sum in file["checksums"]} for file in bill["files"]}
assert listed.keys() == there.keys(), listed.keys() ^ there.keys()
for name, path in there.items():
    assert hashlib.sha256(open(path, "rb").read()).hexdigest() == listed[name]["SHA256"], name
packages = {package["name"]: package["versionInfo"] for package in bill["packages"]}
assert packages["libzstd-dev"] and packages["libssl-dev"], packages
identities = [item["SPDXID"] for item in bill["packages"] + bill["files"]] + ["SPDXRef-DOCUMENT"]
assert len(set(identities)) == len(identities)
assert all({relation["spdxElementId"], relation["relatedSpdxElement"]} <= set(identities) for relation in bill["relationships"])
END
}
for image in worker provider; do check "the bill of materials of the $image's image" bill "$image"; done
empty_bill() { mkdir -p "$work/empty" && ! deploy/docker/sbom.py "$work/empty" nothing 1; }
check "an image with nothing in it has none" empty_bill
check "its metadata" python3 "$here/check_yaml.py" metadata "$work/provider/build/metadata.yaml"
copied() { # what the operator does with it
  mkdir -p "$work/run" && sh -c "cp -r $work/provider/build/. $work/run" && [[ -e $work/run/lib/libaccelerator_amd.so && -e $work/run/lib/libamd_smi.so ]]
}
check "the operator's copy of it is complete" copied
check "the provider works from there" env TF_ACCELERATOR_LIB_PATH="$work/run/lib/libaccelerator_amd.so" HIP_REMOTE_SOFTGPU=gfx90a \
  "$build/bin/provider_host_test" --gtest_filter='HostTest.Dev*:HostTest.Metrics*'
summary
