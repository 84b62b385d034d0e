#!/usr/bin/env python3
"""Stands in for everything of a cluster that is neither its API server nor TensorFusion: two nodes with their kubelets and
container runtime, the default scheduler, the controller manager. Its pods are real processes (container.py).

   main.py WORK HOST PORT TOKEN CA BRIDGE PREFIX       prints "ready" when the nodes are there"""
import http.server
import os
import signal
import ssl
import sys
import threading
import time
import traceback

from api import Api, ApiError, pod_path
from controllers import Controllers
from device_plugins import DevicePlugins
from images import Images
from pods import Pod, now

INDEX = "tensor-fusion.ai/index_"


class Node:
    def __init__(self, name, work, api, ca, bridge, prefix, images):
        self.name, self.work, self.api, self.ca, self.bridge, self.prefix = name, work, api, ca, bridge, prefix
        self.images, self.address, self.root = images, api.host, os.path.join(work, "nodes", name)
        os.makedirs(f"{self.root}/dev", exist_ok=True)
        with open(f"{self.root}/dev/kfd", "w"):  # the driver's; nothing here opens it
            pass
        self.resources = {"cpu": "8", "memory": "16Gi", "pods": "110", "ephemeral-storage": "10Gi"}
        self.path = f"/api/v1/nodes/{name}"
        self.api.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}})
        self.tell()
        self.plugins = DevicePlugins(f"{self.root}/var/lib/kubelet/device-plugins", self.has_devices)

    def tell(self):
        conditions = [{"type": "Ready", "status": "True", "reason": "StandIn", "message": "", "lastTransitionTime": now(), "lastHeartbeatTime": now()}]
        self.api.merge(self.path + "/status", {"status": {
            "capacity": self.resources, "allocatable": self.resources, "conditions": conditions,
            "addresses": [{"type": "InternalIP", "address": self.address}, {"type": "Hostname", "address": self.name}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {"kubeletVersion": "v1.35.0", "osImage": "stand-in", "architecture": "amd64", "operatingSystem": "linux", "machineID": "", "systemUUID": "",
                         "bootID": "", "kernelVersion": "", "containerRuntimeVersion": "", "kubeProxyVersion": ""}}})
        self.api.merge(self.path, {"spec": {"taints": None}})

    def has_devices(self, resource, count):
        self.resources[resource] = str(count)
        self.tell()

    def devices_for(self, container):
        environment, mounts = {}, []
        for resource, count in container.get("resources", {}).get("limits", {}).items():
            if resource.startswith(INDEX):
                more, places = self.plugins.allocate(resource, int(count))
                environment |= more
                mounts += places
        return environment, mounts


class Logs(http.server.BaseHTTPRequestHandler):
    """kubectl logs: the API server asks the node."""
    pods = {}

    def do_GET(self):
        words = self.path.split("?")[0].split("/")  # /containerLogs/NAMESPACE/POD/CONTAINER
        living = [pod for pod in list(Logs.pods.values()) if [pod.pod["metadata"]["namespace"], pod.pod["metadata"]["name"]] == words[2:4]]
        path = living[-1].log(words[4]) if living and len(words) == 5 else ""
        self.send_response(200 if os.path.exists(path) else 404)
        self.end_headers()
        if os.path.exists(path):
            with open(path, "rb") as file:
                self.wfile.write(file.read())

    def log_message(self, *_):
        pass


def serve_logs(address, certificate, key):
    server = http.server.ThreadingHTTPServer((address, 10250), Logs)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def tell_names(path, text):
    """All containers have this file mounted and may be reading it: it changes in place and is never empty."""
    with open(path, "r+") as file:
        if file.read() != text:
            file.seek(0)
            file.write(text)
            file.truncate()


def once(api, nodes, controllers, running, hosts):
    pods = api.list("/api/v1/pods")
    controllers.once(pods)
    tell_names(hosts, "127.0.0.1 localhost\n" + controllers.names())
    for pod in pods:
        node, uid = nodes.get(pod["spec"].get("nodeName")), pod["metadata"]["uid"]
        if node is None:
            continue
        leaving = pod["metadata"].get("deletionTimestamp")
        if uid not in running and not leaving and pod.get("status", {}).get("phase") in (None, "Pending"):
            running[uid] = Pod(node, pod)
            running[uid].start()
        elif leaving:
            if uid in running:
                running[uid].stop()
            if uid not in running or not running[uid].is_alive():
                api.delete(pod_path(pod), gracePeriodSeconds=0, preconditions={"uid": uid})
    living = {pod["metadata"]["uid"] for pod in pods}
    for uid, pod in running.items():
        if uid not in living:
            pod.stop()


def main():
    work, host, port, token, ca, bridge, prefix = sys.argv[1:]
    api = Api(host, int(port), token, ca)
    images = Images(work, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    nodes = {name: Node(name, work, api, ca, bridge, prefix, images) for name in ("cpu-node-1", "gpu-node-1")}
    controllers, running = Controllers(api, list(nodes)), Logs.pods
    serve_logs(host, f"{work}/pki/server.crt", f"{work}/pki/server.key")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    print("ready", flush=True)
    try:
        while True:
            try:
                once(api, nodes, controllers, running, f"{work}/hosts")
            except (ApiError, OSError):
                traceback.print_exc()
            time.sleep(0.5)
    finally:
        for pod in running.values():
            pod.stop()
        for pod in running.values():
            pod.join(20)


if __name__ == "__main__":
    main()
