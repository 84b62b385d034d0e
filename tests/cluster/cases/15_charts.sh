# shellcheck shell=bash
# needs:
# shellcheck disable=SC2154 # run.sh has them
# Both charts by the documented commands, and what the API server makes of our objects: it drops fields that it does not know without a
# word, and fills in others.
install_charts() {
  helm show values "$TENSOR_FUSION_CHART" | "$root/deploy/helm/derive_values.py" >"$work/amd.yaml" &&
    helm upgrade --install --timeout 30m tensor-fusion-sys "$TENSOR_FUSION_CHART" -n tensor-fusion-sys --create-namespace -f "$work/amd.yaml" -f "$here/values-operator.yaml" &&
    helm upgrade --install --timeout 30m tensor-fusion-amd "$root/deploy/helm/tensor-fusion-amd" -n tensor-fusion-sys -f "$here/values-amd.yaml"
}
check "both charts install, hooks included" install_charts
check "the webhook has its authority" test -n "$(kubectl get mutatingwebhookconfiguration tensor-fusion-sys-mutating-webhook -o 'jsonpath={.webhooks[0].clientConfig.caBundle}')"
scheduler=$(kubectl get configmap -n tensor-fusion-sys tensor-fusion-sys-config -o json | jq -r '.data["scheduler-config.yaml"]')
check "the scheduler counts amd.com/gpu" grep -q 'name: amd.com/gpu' <<<"$scheduler"
check "and nothing of NVIDIA's" test "$(grep -c nvidia <<<"$scheduler")" -eq 0

kept() { # MANIFEST: what it says is what the API server has, field for field
  "$python" - "$1" <<'END'
import json, subprocess, sys, yaml

def lost(wanted, there, where):
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            if not isinstance(there, dict) or key not in there:
                yield f"{where}.{key}"
            else:
                yield from lost(value, there[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        for number, value in enumerate(wanted):
            yield from lost(value, there[number] if isinstance(there, list) and number < len(there) else None, f"{where}[{number}]")
    elif wanted != there:
        yield f"{where}: {there!r}, not {wanted!r}"

count, errors = 0, []
for item in filter(None, yaml.safe_load_all(open(sys.argv[1]))):
    kind = item["kind"] + "." + item["apiVersion"].split("/")[0] if "/" in item["apiVersion"] else item["kind"]
    meta = item["metadata"]
    name = ["-n", meta["namespace"]] if "namespace" in meta else []
    found = json.loads(subprocess.run(["kubectl", "get", kind, meta["name"], *name, "-o", "json"], check=True, capture_output=True).stdout)
    errors += lost(item.get("spec", {}), found.get("spec", {}), f"{item['kind']} {meta['name']}")
    count += 1
print(*errors, sep="\n")
sys.exit(bool(errors) or count < 3)
END
}
helm get manifest tensor-fusion-amd -n tensor-fusion-sys >"$work/manifest.yaml"
check "nothing of our chart's objects is lost" kept "$work/manifest.yaml"
sed 's/enableVector:/enableVectr:/' "$work/manifest.yaml" >"$work/changed.yaml"
if kept "$work/changed.yaml" >/dev/null 2>&1; then bad "a field nobody knows goes unnoticed"; else ok "a field nobody knows is noticed"; fi

accepted() { kubectl apply --server-side --force-conflicts --dry-run=server --validate=strict -f "$1"; }
for sample in "$root"/deploy/samples/*.yaml; do
  # The pods are the webhook's to change, which is the operator's: its cases create them.
  case $sample in *gpu-info* | *pytorch-*) continue ;; esac
  check "$(basename "$sample") is accepted as it is" accepted "$sample"
done
# Why our pool says nothing of overselling: where the API server finds a part of it, it fills in the rest.
filled=$(sed 's|^  nodeManagerConfig:|    oversubscription: {}\n&|; s|^  name: .*|  name: another|' "$root/deploy/samples/gpupool-amd.yaml" |
  kubectl create --dry-run=server -o json -f - | jq -c '.spec.capacityConfig.oversubscription // {} | [.vramExpandToHostMem, .vramExpandToHostDisk]')
check "an empty oversubscription becomes one ($filled)" test "$filled" = '[50,70]'
stored=$(kubectl get tensorfusioncluster tensor-fusion-amd -o json | jq -c '.spec.gpuPools[0].specTemplate.capacityConfig.oversubscription')
check "none stays none" test "$stored" = null

can() { kubectl auth can-i --quiet --as="system:serviceaccount:$1" "${@:2}"; } # NAMESPACE:ACCOUNT VERB RESOURCE...
cannot() { ! can "$@"; }
for verb in get list watch create update patch delete; do
  for what in pods secrets configmaps tensorfusionconnections.tensor-fusion.ai gpus.tensor-fusion.ai; do
    check "pods that borrow GPUs, and workers, cannot $verb $what" cannot default:default "$verb" "$what"
  done
done
hypervisor=tensor-fusion-sys:tensor-fusion-hypervisor-sa
check "the hypervisor can write GPUs" can $hypervisor update gpus.tensor-fusion.ai/status
check "the hypervisor can see pods" can $hypervisor list pods -A
for what in secrets configmaps deployments.apps; do check "the hypervisor cannot get $what" cannot $hypervisor get "$what" -A; done
for verb in create delete patch; do check "the hypervisor cannot $verb pods" cannot $hypervisor "$verb" pods -A; done
no_roles() { [[ -s $work/manifest.yaml ]] && ! grep -E "kind: (Cluster)?Role" "$work/manifest.yaml"; }
check "our chart gives nobody rights" no_roles
