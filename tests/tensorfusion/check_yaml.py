#!/usr/bin/env python3
"""Checks Kubernetes files against what TensorFusion's API and chart know. Unknown fields are the point: the API server drops
them without a word, and Helm ignores values that no template reads.

   check_yaml.py objects FILE...     multi-document YAML; - is standard input
   check_yaml.py values FILE         an overlay for TensorFusion's chart
   check_yaml.py metadata FILE       of the middleware image"""
import re
import sys

import yaml

ANY = object()  # nothing below it is ours to check

# Fields by kind: a dict lists what may stand there, a list says that it is a list of such, a type or a pattern what a value is.
TEXT, NUMBER, FLAG = str, int, bool
QUANTITY = re.compile(r"^[0-9]+(\.[0-9]+)?([KMGTPE]i?|[mk])?$")
RESOURCES = {"cpu": QUANTITY, "memory": QUANTITY, "tflops": QUANTITY, "vram": QUANTITY}
ENV = [{"name": TEXT, "value": TEXT}]
POD_TEMPLATE = {"template": {"metadata": ANY, "spec": ANY}}
PROVIDER = {
    "vendor": re.compile("^AMD$"),
    "images": {"middleware": TEXT, "remoteClient": TEXT, "remoteWorker": TEXT},
    "hypervisor": {
        "privilegedHypervisor": FLAG,
        "ldLibraryPath": TEXT,
        "extraEnv": ENV,
        "hostPathMounts": [{"name": TEXT, "hostPath": TEXT, "mountPath": TEXT, "readOnly": FLAG}],
        "deviceMount": {"deviceMountRule": TEXT, "partitionedDeviceMountRule": TEXT, "sharedDevices": [TEXT]},
    },
    "inUseResourceNames": [TEXT],
    "devicePluginDetection": {"resourceNamePrefixes": [TEXT], "usedBySystemName": TEXT},
    "hardwareMetadata": [{"model": TEXT, "fullModelName": TEXT, "costPerHour": re.compile(r"^[0-9.]+$"), "fp16TFlops": QUANTITY,
                          "maxPartitions": NUMBER, "partitionTemplateRefs": [TEXT], "deviceMount": ANY}],
    "virtualizationTemplates": ANY,
}
POOL = {
    "defaultUsingLocalGPU": FLAG,
    "schedulingConfigTemplate": TEXT,
    "capacityConfig": {
        "minResources": RESOURCES, "maxResources": RESOURCES, "warmResources": RESOURCES,
        # Not 0: the operator writes a pool without its zeros, and the API server fills in its defaults.
        "oversubscription": {"vramExpandToHostMem": range(1, 101), "vramExpandToHostDisk": range(1, 101),
                             "tflopsOversellRatio": range(100, 100001)},
    },
    "nodeManagerConfig": {
        "provisioningMode": re.compile("^(Provisioned|AutoSelect|Karpenter)$"),
        "defaultVendor": re.compile("^AMD$"),
        "defaultIsolationMode": re.compile("^hard$"),  # the scheduler gives pods with parts of a GPU none of another mode
        "isolationModeRules": ANY, "nodeSelector": {"nodeSelectorTerms": ANY}, "multiVendorNodeSelector": ANY,
    },
    "componentConfig": {
        "client": {"image": TEXT, "operatorEndpoint": re.compile("^http://"), "patchToPod": ANY, "patchToContainer": ANY},
        "hypervisor": {"image": TEXT, "portNumber": NUMBER, "vectorImage": TEXT, "enableVector": FLAG, "podTemplate": POD_TEMPLATE},
        "worker": {"image": TEXT, "podTemplate": POD_TEMPLATE},
    },
}
SPECS = {
    ("tensor-fusion.ai/v1", "ProviderConfig"): PROVIDER,
    ("tensor-fusion.ai/v1", "GPUPool"): POOL,
    ("tensor-fusion.ai/v1", "TensorFusionCluster"): {"gpuPools": [{"name": TEXT, "isDefault": FLAG, "specTemplate": POOL}]},
    ("monitoring.coreos.com/v1", "PodMonitor"): {"selector": ANY, "podMetricsEndpoints": [{"port": TEXT, "interval": TEXT, "path": TEXT}]},
    ("v1", "Pod"): ANY, ("v1", "Service"): ANY, ("v1", "Secret"): ANY, ("networking.k8s.io/v1", "NetworkPolicy"): ANY, ("apps/v1", "DaemonSet"): ANY, ("apps/v1", "Deployment"): ANY,
}
REQUIRED = {
    "ProviderConfig": ["vendor", "images.middleware"],
    # Without these the operator of today fails, although its schema does not ask for them.
    "GPUPool": ["componentConfig.hypervisor.podTemplate", "componentConfig.worker.podTemplate", "nodeManagerConfig.defaultVendor",
                "nodeManagerConfig.defaultIsolationMode", "componentConfig.hypervisor.portNumber"],
}
ANNOTATIONS = {"tflops-request", "tflops-limit", "vram-request", "vram-limit", "gpu-count", "gpupool", "gpu-model", "inject-container",
               "is-local-gpu", "vendor", "isolation", "compute-percent-request", "compute-percent-limit"}
# What the templates of TensorFusion's chart read.
VALUES = {
    "imagePullSecrets", "nameOverride", "fullnameOverride", "namespaceOverride", "serviceAccount", "initialGpuNodeLabelSelector",
    "controller", "greptime", "agent", "cloudVendorCredentials", "providerConfigs", "schedulingConfigTemplate", "cluster", "alert",
    "schedulerConfig", "dynamicConfig"}
errors = []


def fits(value, rule):
    if isinstance(rule, range):
        return isinstance(value, int) and not isinstance(value, bool) and value in rule
    if isinstance(rule, re.Pattern):
        return not isinstance(value, (dict, list, bool)) and rule.search(str(value)) is not None
    return isinstance(value, rule) and (rule is bool or not isinstance(value, bool))


def compare(value, rule, where):
    if rule is ANY:
        return
    if isinstance(rule, dict):
        if not isinstance(value, dict):
            errors.append(f"{where}: not an object")
            return
        for key, below in value.items():
            if key not in rule:
                errors.append(f"{where}.{key}: unknown field")
            else:
                compare(below, rule[key], f"{where}.{key}")
    elif isinstance(rule, list):
        if not isinstance(value, list):
            errors.append(f"{where}: not a list")
            return
        for index, item in enumerate(value):
            compare(item, rule[0], f"{where}[{index}]")
    elif not fits(value, rule):
        errors.append(f"{where}: {value!r} does not fit")


def require(spec, paths, where):
    for path in paths:
        at = spec
        for key in path.split("."):
            at = at.get(key) if isinstance(at, dict) else None
        if at is None:
            errors.append(f"{where}.{path}: missing")


def check_pool(spec, where):
    """What the operator makes of the hypervisor's template."""
    require(spec, REQUIRED["GPUPool"], where)
    hypervisor = spec.get("componentConfig", {}).get("hypervisor", {})
    containers = hypervisor.get("podTemplate", {}).get("template", {}).get("spec", {}).get("containers", [])
    vector = hypervisor.get("enableVector", False)
    if len(containers) != (2 if vector else 1):
        errors.append(f"{where}: the operator replaces a template of {len(containers)} containers {'with' if vector else 'without'} vector")
    if vector and not any(re.fullmatch(r"--metrics-output-path=/logs/metrics\.log\..+", a) for a in containers[0].get("args", [])):
        errors.append(f"{where}: the hypervisor does not write its metrics where vector reads them")
    worker = spec.get("componentConfig", {}).get("worker", {}).get("podTemplate", {}).get("template", {})
    container = worker.get("spec", {}).get("containers", [{}])[0]
    if worker.get("spec", {}).get("automountServiceAccountToken") is not False:
        errors.append(f"{where}: the worker has a token of the API server, for which it has no use")
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        if container.get(probe, {}).get("tcpSocket", {}).get("port") != 8000:
            errors.append(f"{where}: the worker has no {probe} of its port")
    if container.get("securityContext", {}).get("capabilities", {}).get("drop") != ["ALL"]:
        errors.append(f"{where}: the worker keeps capabilities")
    if worker.get("metadata", {}).get("labels", {}).get("hip-remote/worker") != "true":
        errors.append(f"{where}: the network policy does not find the worker")
    over = spec.get("capacityConfig", {}).get("oversubscription")
    if over is not None and len(over) != 3:
        errors.append(f"{where}: oversubscription in part: the API server fills in the rest")


def check_object(item, where):
    kind = (item.get("apiVersion"), item.get("kind"))
    if kind not in SPECS:
        errors.append(f"{where}: unknown kind {kind}")
        return
    name = item.get("metadata", {}).get("name", "")
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", name):
        errors.append(f"{where}: {name!r} is not a name")
    where = f"{where}: {item['kind']} {name}"
    compare(item.get("spec"), SPECS[kind], where)
    if item["kind"] == "GPUPool":
        check_pool(item["spec"], where)
    else:
        require(item.get("spec"), REQUIRED.get(item["kind"], []), where)
    for pool in item["spec"].get("gpuPools", []) if item["kind"] == "TensorFusionCluster" else []:
        check_pool(pool.get("specTemplate", {}), f"{where}.{pool.get('name')}")
    annotations = item.get("metadata", {}).get("annotations", {})
    for key, value in annotations.items():
        if key.startswith("tensor-fusion.ai/") and key.split("/")[1] not in ANNOTATIONS:
            errors.append(f"{where}: unknown annotation {key}")
        if not isinstance(value, str):
            errors.append(f"{where}: annotation {key} is not a string")
    isolation = annotations.get("tensor-fusion.ai/isolation")
    if "tensor-fusion.ai/vendor" in annotations and isolation not in ("shared", "hard"):
        errors.append(f"{where}: AMD pods need isolation shared or hard")
    if isolation == "hard" and not {"tensor-fusion.ai/compute-percent-limit", "tensor-fusion.ai/vram-limit"} <= annotations.keys():
        errors.append(f"{where}: hard isolation without limits")


def load(path):
    with (sys.stdin if path == "-" else open(path)) as file:
        return [item for item in yaml.safe_load_all(file) if item is not None]


what, files = sys.argv[1], sys.argv[2:]
for path in files:
    for item in load(path):
        if what == "objects":
            check_object(item, path)
        elif what == "values":
            for key in item.keys() - VALUES:
                errors.append(f"{path}: no template reads {key}")
            if item.get("controller", {}).get("isolationModePolicy") != "static":
                errors.append(f"{path}: AMD needs controller.isolationModePolicy static")
            if not re.fullmatch(r"[^=]+=[^=]+", item.get("initialGpuNodeLabelSelector", "")):
                errors.append(f"{path}: initialGpuNodeLabelSelector must have exactly one =")
            if "schedulerConfig" in item:
                errors.append(f"{path}: a scheduler's profile here replaces the chart's; derive_values.py makes it from that")
        else:
            compare(item, {"version": TEXT, "hardwareVendor": re.compile("^AMD$"), "releaseDate": TEXT, "isolationModes": [TEXT],
                           "rocmVersion": TEXT}, path)
for error in errors:
    print(error)
sys.exit(1 if errors else 0)
