"""The life of one pod: its network, its containers, what is said of it to the API server."""
import http.client
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.request

import container
from api import pod_path
from volumes import Volumes, expand


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Network:
    """A pod's: an address on the bridge of this test, in a network namespace that a sleeping process holds."""
    lock, next = threading.Lock(), 2

    def __init__(self, prefix, bridge):
        with Network.lock:
            number, Network.next = Network.next, Network.next + 1
        self.address = f"{prefix}.{number // 250}.{number % 250 + 1}"
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        outside, inside = f"pod{number}", f"in{number}"
        within = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]
        for command in (["ip", "link", "add", outside, "type", "veth", "peer", "name", inside],
                        ["ip", "link", "set", inside, "netns", str(self.holder.pid)], ["ip", "link", "set", outside, "master", bridge, "up"],
                        [*within, "ip", "addr", "add", f"{self.address}/16", "dev", inside],
                        [*within, "ip", "link", "set", inside, "up"], [*within, "ip", "link", "set", "lo", "up"]):
            subprocess.run(command, check=True)

    def close(self):
        self.holder.kill()
        self.holder.wait()


class Pod(threading.Thread):
    """node: see main.py. Ends when its containers have, for good, or when it is told to."""

    def __init__(self, node, pod):
        super().__init__(daemon=True)
        self.node, self.pod, self.spec, self.uid = node, pod, pod["spec"], pod["metadata"]["uid"]
        self.folder = os.path.join(node.work, "pods", self.uid)
        self.stopping = threading.Event()
        self.running, self.restarts, self.ended, self.devices = {}, {}, {}, {}
        self.network = None

    def run(self):
        try:
            self.prepare()
            if self.initialize():
                self.keep()
        except Exception as error:  # as the kubelet: the reason is there for whoever looks at the pod
            self.say("Failed", message=f"{type(error).__name__}: {error}")
        finally:
            self.kill()
            if self.network:
                self.network.close()

    def prepare(self):
        os.makedirs(self.folder, exist_ok=True)
        if self.spec.get("hostNetwork"):
            address = self.node.address
        else:
            self.network = Network(self.node.prefix, self.node.bridge)
            address = self.network.address
        self.pod.setdefault("status", {}).update(podIP=address, hostIP=self.node.address)
        self.volumes = Volumes(self.node.api, self.pod, self.node.root, self.folder, self.node.ca)

    def log(self, name):
        return os.path.join(self.folder, name + ".log")

    def start_container(self, item):
        image = self.node.images.find(item["image"])
        if image is None:
            raise RuntimeError(f"no image {item['image']} here")
        if item["name"] not in self.devices:
            self.devices[item["name"]] = self.node.devices_for(item)
        environment, given = self.devices[item["name"]]
        environment = self.volumes.environment(item, {"KUBERNETES_SERVICE_HOST": self.node.api.host,
                                                      "KUBERNETES_SERVICE_PORT": str(self.node.api.port), **environment})
        mounts = [(f"{self.node.work}/hosts", "/etc/hosts", True), *self.volumes.mounts(item, environment), *((self.node.root + source, path, False) for source, path in given)]
        user = dict(zip(("runAsUser", "runAsGroup"), image.user.split(":"))) if image.user else {}
        security = {**user, **self.spec.get("securityContext", {}), **item.get("securityContext", {})}
        arguments = [expand(word, environment) for word in item.get("args", [])]
        command = [expand(word, environment) for word in item["command"]] if item.get("command") else image.command
        attempt = self.restarts.get(item["name"], 0)
        return container.start(f"{self.folder}/{item['name']}.{attempt}", image, mounts, security, item.get("workingDir") or image.folder,
                               [*command, *arguments], environment, self.network and self.network.holder.pid, self.log(item["name"]))

    def initialize(self):
        for item in self.spec.get("initContainers", []):
            self.running = {item["name"]: self.start_container(item)}
            while self.running[item["name"]].poll() is None:
                if self.stopping.wait(0.1):
                    return False
            code = self.running.pop(item["name"]).returncode
            if code:
                self.say("Failed", message=f"init container {item['name']}: exit status {code}")
                return False
        return True

    def keep(self):
        """The containers, until all of them have ended and none is to be started again."""
        policy, said = self.spec.get("restartPolicy", "Always"), None
        self.running = {item["name"]: self.start_container(item) for item in self.spec["containers"]}
        while not self.stopping.wait(0.3):
            for item in self.spec["containers"]:
                process = self.running.get(item["name"])
                if process is None or process.poll() is None:
                    continue
                self.ended[item["name"]] = process.returncode
                if policy == "Never" or (policy == "OnFailure" and process.returncode == 0):
                    del self.running[item["name"]]
                    continue
                self.restarts[item["name"]] = self.restarts.get(item["name"], 0) + 1
                if self.stopping.wait(1):
                    return
                self.running[item["name"]] = self.start_container(item)
            phase = "Running" if self.running else "Failed" if any(self.ended.values()) else "Succeeded"
            ready = phase == "Running" and all(self.ready(item) for item in self.spec["containers"])
            if (phase, ready, dict(self.restarts)) != said:
                self.say(phase, ready)
                said = (phase, ready, dict(self.restarts))
            if not self.running:
                return

    def ready(self, item):
        """Its probes, asked each time: nobody waits for their periods here."""
        number = lambda port: next((one["containerPort"] for one in item.get("ports", []) if one.get("name") == port), port)
        for probe in filter(None, (item.get("startupProbe"), item.get("readinessProbe"))):
            try:
                if "tcpSocket" in probe:
                    socket.create_connection((self.pod["status"]["podIP"], number(probe["tcpSocket"]["port"])), 1).close()
                elif "httpGet" in probe:
                    get = probe["httpGet"]
                    urllib.request.urlopen(f"http://{self.pod['status']['podIP']}:{number(get['port'])}{get['path']}", timeout=5).close()
            except (OSError, ValueError, http.client.HTTPException):
                return False
        return True

    def say(self, phase, ready=False, message=None):
        flag = "True" if ready else "False"
        state = lambda name: {"running": {"startedAt": now()}} if name in self.running else {"terminated": {"exitCode": self.ended.get(name, 1), "reason": phase}}
        statuses = [{"name": item["name"], "image": item["image"], "imageID": item["image"], "ready": ready, "state": state(item["name"]),
                     "restartCount": self.restarts.get(item["name"], 0)} for item in self.spec["containers"]]
        address = self.pod["status"].get("podIP")
        self.node.api.merge(pod_path(self.pod) + "/status", {"status": {
            "phase": phase, "message": message, "hostIP": self.node.address, "podIP": address, "podIPs": [{"ip": address}] if address else None, "startTime": now(),
            "conditions": [{"type": kind, "status": flag if kind in ("Ready", "ContainersReady") else "True", "lastTransitionTime": now()}
                           for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")],
            "containerStatuses": statuses}})

    def kill(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in self.running.values():
                if process.poll() is None:
                    os.killpg(process.pid, number)
            end = time.monotonic() + min(self.spec.get("terminationGracePeriodSeconds", 30), 10)
            for process in self.running.values():
                try:
                    process.wait(max(0.1, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    pass

    def stop(self):
        self.stopping.set()
