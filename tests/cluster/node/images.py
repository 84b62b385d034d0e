"""What the images of the pods are here. Ours: what their Dockerfiles put into them, on top of this machine's system. Those of
others: programs built or written to stand in for them."""
import json
import os
import re


class Image:
    def __init__(self, layer=None, command=(), folder="/", user=None, environment=None):
        self.layer, self.command, self.folder, self.user = layer, list(command), folder, user
        self.environment = environment or {}


def from_dockerfile(path, layer):
    """The last stage's ENTRYPOINT or CMD, WORKDIR, USER and ENV."""
    with open(path) as file:
        text = re.sub(r"\\\n", " ", file.read())
    image = Image(layer)
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("ENTRYPOINT", "CMD"):
            image.command = json.loads(rest)
        elif word == "WORKDIR":
            image.folder = rest
        elif word == "USER":
            image.user = rest
        elif word == "ENV":
            name, _, value = rest.partition("=")
            image.environment[name] = value
        elif word == "FROM" and not re.match(r"(slim|stage)\b", rest):
            image = Image(layer)
    return image


class Images:
    """work: where the layers were laid (images/NAME); here: this test's folder."""

    def __init__(self, work, here):
        dockerfiles = os.path.join(here, "../../deploy/docker")
        layer = lambda name: os.path.join(work, "images", name)
        stand_in = lambda name: Image(layer("stand_ins"), [f"/stand_ins/{name}"])
        ours = {f"hip-remote-{name}": from_dockerfile(f"{dockerfiles}/{name}.Dockerfile", layer(name)) for name in ("client", "worker", "provider")}
        self.known = {
            **ours,
            "tensorfusion/tensor-fusion-operator": Image(layer("operator"), ["/manager"]),
            "tensorfusion/tensor-fusion-hypervisor": Image(layer("hypervisor"), ["/usr/local/bin/hypervisor"]),
            "ingress-nginx/kube-webhook-certgen": stand_in("certgen.sh"),
            "timberio/vector": stand_in("vector.py"),
            "greptime/greptimedb": stand_in("greptimedb.py"),
            "prometheus/alertmanager": Image(command=["sh", "-c", "exec sleep infinity"]),
            "rocm/pytorch": Image(layer("programs"), ["python3"], environment={"PYTHONPATH": "/programs"}),
        }

    def find(self, name):
        for known, image in self.known.items():
            if re.search(rf"(^|/){re.escape(known)}(:|@|$)", name):
                return image
        return None
