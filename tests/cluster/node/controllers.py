"""What the controller manager and the default scheduler would do, as far as these charts need it: pods of workloads, jobs,
endpoints of services, the service account that pods use, and the end of what belongs to something that is gone."""
import hashlib
import json

from api import ApiError, pod_path

TENSOR_FUSION = "/apis/tensor-fusion.ai/v1"


class Controllers:
    def __init__(self, api, nodes):
        self.api, self.nodes, self.addresses = api, nodes, {}

    def once(self, pods):
        for namespace in self.api.list("/api/v1/namespaces"):
            account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
            path = f"/api/v1/namespaces/{namespace['metadata']['name']}/serviceaccounts"
            if namespace["status"]["phase"] == "Active" and namespace["metadata"]["name"] not in self.addresses.setdefault("accounts", set()):
                self.api.create(path, account)
                self.addresses["accounts"].add(namespace["metadata"]["name"])
            elif namespace["status"]["phase"] == "Terminating":
                self.end_namespace(namespace, pods)
        self.schedule(pods)
        for plural in ("deployments", "statefulsets", "daemonsets"):
            for item in self.api.list(f"/apis/apps/v1/{plural}"):
                self.workload(plural, item, pods)
        for item in self.api.list("/apis/batch/v1/jobs"):
            self.job(item, pods)
        self.services(pods)
        self.collect(pods)

    def end_namespace(self, namespace, pods):
        """Once its pods have ended. What else was in it helm has deleted."""
        name = namespace["metadata"]["name"]
        if not any(pod["metadata"]["namespace"] == name for pod in pods):
            self.api.call("PUT", f"/api/v1/namespaces/{name}/finalize", {**namespace, "spec": {"finalizers": []}})
            self.addresses["accounts"].discard(name)

    def schedule(self, pods):
        for pod in pods:
            spec = pod["spec"]
            if spec.get("nodeName") or spec.get("schedulerName") != "default-scheduler" or pod["metadata"].get("deletionTimestamp"):
                continue
            target = next((node for node in self.nodes if self.fits(node, spec)), None)
            if target:
                binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod["metadata"]["name"]},
                           "target": {"apiVersion": "v1", "kind": "Node", "name": target}}
                try:
                    self.api.call("POST", pod_path(pod) + "/binding", binding)
                except ApiError as error:
                    if error.status not in (404, 409):
                        raise

    def fits(self, node, spec):
        labels = self.api.get(f"/api/v1/nodes/{node}")["metadata"]["labels"]
        if any(labels.get(key) != value for key, value in spec.get("nodeSelector", {}).items()):
            return False
        required = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
        terms = required.get("nodeSelectorTerms", [])
        return not terms or any(all(self.expression(labels, one) for one in term.get("matchExpressions", [])) for term in terms)

    @staticmethod
    def expression(labels, one):
        value = labels.get(one["key"])
        return {"Exists": value is not None, "DoesNotExist": value is None, "In": value in one.get("values", []),
                "NotIn": value not in one.get("values", [])}[one["operator"]]

    def make_pod(self, owner, kind, template, name, node=None):
        claims = [{"name": claim["metadata"]["name"], "emptyDir": {}} for claim in owner["spec"].get("volumeClaimTemplates", [])]
        spec = dict(template["spec"], volumes=template["spec"].get("volumes", []) + claims, **({"nodeName": node} if node else {}))
        meta = dict(template.get("metadata", {}), name=name, ownerReferences=[
            {"apiVersion": owner["apiVersion"], "kind": kind, "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"], "controller": True}])
        self.api.create(f"/api/v1/namespaces/{owner['metadata']['namespace']}/pods",
                        {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})

    @staticmethod
    def owned(pods, owner):
        return [pod for pod in pods if any(ref["uid"] == owner["metadata"]["uid"] for ref in pod["metadata"].get("ownerReferences", []))]

    def workload(self, plural, item, pods):
        """One pod, or one on each node that the template wants, named after what the template says."""
        kind = {"deployments": "Deployment", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet"}[plural]
        item.setdefault("apiVersion", "apps/v1")
        template = item["spec"]["template"]
        version = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).hexdigest()[:8]
        nodes = [node for node in self.nodes if self.fits(node, template["spec"])] if kind == "DaemonSet" else [None]
        names = {f"{item['metadata']['name']}-{version}" + (f"-{node}" if node else ""): node for node in nodes}
        mine = self.owned(pods, item)
        for pod in mine:
            if pod["metadata"]["name"] not in names and not pod["metadata"].get("deletionTimestamp"):
                self.api.delete(pod_path(pod))
        for name, node in names.items():
            if not any(pod["metadata"]["name"] == name for pod in mine):
                self.make_pod(item, kind, template, name, node)
        ready, count = sum(self.is_ready(pod) for pod in mine), len(names)
        status = {"observedGeneration": item["metadata"]["generation"]}
        if kind == "DaemonSet":
            status |= {"currentNumberScheduled": count, "desiredNumberScheduled": count, "numberMisscheduled": 0, "numberReady": ready,
                       "numberAvailable": ready, "updatedNumberScheduled": count}
        else:
            status |= {"replicas": count, "updatedReplicas": count, "readyReplicas": ready, "availableReplicas": ready, "unavailableReplicas": None}
        if {**item.get("status", {}), **{key: value for key, value in status.items() if value is not None}} != item.get("status", {}):
            self.api.merge(f"/apis/apps/v1/namespaces/{item['metadata']['namespace']}/{plural}/{item['metadata']['name']}/status", {"status": status})

    @staticmethod
    def is_ready(pod):
        return any(one["type"] == "Ready" and one["status"] == "True" for one in pod.get("status", {}).get("conditions", []))

    def job(self, item, pods):
        if item.get("status", {}).get("conditions"):
            return
        item.setdefault("apiVersion", "batch/v1")
        mine = self.owned(pods, item)
        if not mine:
            self.make_pod(item, "Job", item["spec"]["template"], f"{item['metadata']['name']}-{item['metadata']['uid'][:5]}")
        elif mine[0]["status"].get("phase") == "Succeeded":
            time = mine[0]["status"]["startTime"]
            self.api.merge(f"/apis/batch/v1/namespaces/{item['metadata']['namespace']}/jobs/{item['metadata']['name']}/status", {"status": {
                "succeeded": 1, "startTime": time, "completionTime": time,
                "conditions": [{"type": kind, "status": "True", "lastTransitionTime": time} for kind in ("SuccessCriteriaMet", "Complete")]}})

    def services(self, pods):
        """Their endpoints, by which the API server finds webhooks, and their names, which containers get in /etc/hosts."""
        for service in self.api.list("/api/v1/services"):
            meta, selector = service["metadata"], service["spec"].get("selector")
            if not selector:
                continue
            addresses = [pod["status"]["podIP"] for pod in pods if pod["metadata"]["namespace"] == meta["namespace"] and self.is_ready(pod)
                         and all(pod["metadata"].get("labels", {}).get(key) == value for key, value in selector.items())]
            key = (meta["namespace"], meta["name"])
            if self.addresses.get(key) == addresses:
                continue
            self.addresses[key] = addresses
            ports = [{"name": port.get("name", ""), "port": port["targetPort"] if isinstance(port.get("targetPort"), int) else port["port"],
                      "protocol": port.get("protocol", "TCP")} for port in service["spec"]["ports"]]
            path = f"/apis/discovery.k8s.io/v1/namespaces/{meta['namespace']}/endpointslices"
            slice_ = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "ports": ports,
                      "metadata": {"name": meta["name"], "labels": {"kubernetes.io/service-name": meta["name"]}},
                      "endpoints": [{"addresses": [address], "conditions": {"ready": True}} for address in addresses]}
            if not self.api.create(path, slice_):
                self.api.merge(f"{path}/{meta['name']}", {"endpoints": slice_["endpoints"], "ports": ports})

    def names(self):
        return "".join(f"{found[0]} {name}.{namespace} {name}.{namespace}.svc {name}.{namespace}.svc.cluster.local\n"
                       for (namespace, name), found in ((key, value) for key, value in self.addresses.items() if isinstance(key, tuple)) if found)

    def collect(self, pods):
        """Garbage: pods, connections and workloads of TensorFusion's whose owners are gone. Pods own those, and are owned: the ones we
        knew before we looked at owners may go, as what is new since would look like nobody's."""
        places = {"TensorFusionConnection": f"{TENSOR_FUSION}/tensorfusionconnections", "TensorFusionWorkload": f"{TENSOR_FUSION}/tensorfusionworkloads",
                  "Pod": "/api/v1/pods", "Deployment": "/apis/apps/v1/deployments", "StatefulSet": "/apis/apps/v1/statefulsets",
                  "DaemonSet": "/apis/apps/v1/daemonsets", "Job": "/apis/batch/v1/jobs", "GPUNode": f"{TENSOR_FUSION}/gpunodes"}
        found = {}
        for kind, place in places.items():
            try:
                found[kind] = self.api.list(place)
            except ApiError:
                pass  # TensorFusion is not installed
        living = {item["metadata"]["uid"] for items in found.values() for item in items}
        for kind, items in {**found, "Pod": pods}.items():
            for item in items:
                meta = item["metadata"]
                owners = meta.get("ownerReferences", [])
                if owners and not meta.get("deletionTimestamp") and all(ref["kind"] in found and ref["uid"] not in living for ref in owners):
                    group, _, plural = places[kind].rpartition("/")
                    self.api.delete(f"{group}/namespaces/{meta['namespace']}/{plural}/{meta['name']}")
