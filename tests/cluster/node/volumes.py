"""A pod's volumes as folders of this machine, and the values its environment takes from the cluster."""
import base64
import os
import re


class Volumes:
    """node_root: what the node's own file system is here; folder: the pod's."""

    def __init__(self, api, pod, node_root, folder, ca):
        self.api, self.pod, self.node_root, self.folder, self.ca = api, pod, node_root, folder, ca
        self.namespace = f"/api/v1/namespaces/{pod['metadata']['namespace']}"
        self.paths = {volume["name"]: self.make(volume) for volume in pod["spec"].get("volumes", [])}

    def make(self, volume):
        path = os.path.join(self.folder, "volumes", volume["name"])
        if "hostPath" in volume:
            path = self.node_root + volume["hostPath"]["path"]
            if volume["hostPath"].get("type") == "Directory" and not os.path.isdir(path):
                raise RuntimeError(f"{volume['hostPath']['path']} is not a folder of the node")
        os.makedirs(path, exist_ok=True)
        if "emptyDir" in volume:
            os.chmod(path, 0o777)
        for kind, key in (("configMap", "name"), ("secret", "secretName")):
            if kind in volume:
                self.write(path, self.data(kind, volume[kind][key], volume[kind].get("optional")), volume[kind].get("items"))
        for source in volume.get("projected", {}).get("sources", []):
            self.project(path, source)
        return path

    def data(self, kind, name, optional=False):
        """Contents of a ConfigMap or a Secret."""
        if kind == "configMap" and name == "kube-root-ca.crt":
            with open(self.ca, "rb") as file:
                return {"ca.crt": file.read()}
        try:
            item = self.api.get(f"{self.namespace}/{kind.lower()}s/{name}")
        except Exception:
            if optional:
                return {}
            raise
        decode = base64.b64decode if kind == "secret" else str.encode
        return {key: decode(value) for key, value in item.get("data", {}).items()}

    @staticmethod
    def write(path, data, items=None):
        for item in items or [{"key": key, "path": key} for key in data]:
            with open(os.path.join(path, item["path"]), "wb") as file:
                file.write(data[item["key"]])

    def project(self, path, source):
        if "serviceAccountToken" in source:
            account = self.pod["spec"].get("serviceAccountName", "default")
            bound = {"kind": "Pod", "apiVersion": "v1", "name": self.pod["metadata"]["name"], "uid": self.pod["metadata"]["uid"]}
            request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600, "boundObjectRef": bound}}
            answer = self.api.call("POST", f"{self.namespace}/serviceaccounts/{account}/token", request)
            self.write(path, {source["serviceAccountToken"]["path"]: answer["status"]["token"].encode()})
        for kind in ("configMap", "secret"):
            if kind in source:
                self.write(path, self.data(kind, source[kind]["name"], source[kind].get("optional")), source[kind].get("items"))
        for item in source.get("downwardAPI", {}).get("items", []):
            self.write(path, {item["path"]: self.field(item["fieldRef"]["fieldPath"]).encode()})

    def field(self, path):
        """A value of the pod, as the downward API names it."""
        named = re.fullmatch(r"metadata\.(annotations|labels)\['(.*)'\]", path)
        if named:
            return self.pod["metadata"].get(named[1], {}).get(named[2], "")
        value = self.pod
        for key in path.split("."):
            value = value.get(key, "")
        return value

    def environment(self, container, given):
        """given: what the devices bring; the container's own wins."""
        values = dict(given)
        for entry in container.get("env", []):
            source = entry.get("valueFrom", {})
            if "fieldRef" in source:
                values[entry["name"]] = self.field(source["fieldRef"]["fieldPath"])
            elif "secretKeyRef" in source or "configMapKeyRef" in source:
                kind = "secret" if "secretKeyRef" in source else "configMap"
                values[entry["name"]] = self.data(kind, source[kind + "KeyRef"]["name"])[source[kind + "KeyRef"]["key"]].decode()
            elif "resourceFieldRef" not in source:
                values[entry["name"]] = expand(entry.get("value", ""), values)
        return values

    def mounts(self, container, environment):
        for mount in container.get("volumeMounts", []):
            below = mount.get("subPath") or expand(mount.get("subPathExpr", ""), environment)
            source = os.path.join(self.paths[mount["name"]], below) if below else self.paths[mount["name"]]
            if not os.path.exists(source):
                os.makedirs(source)  # as the kubelet does for a part of a volume that is not there
            yield source, mount["mountPath"], mount.get("readOnly", False)


def expand(text, values):
    return re.sub(r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)", lambda found: values.get(found[1], found[0]), text)


