"""A container: this machine's system with the image's files over it, in namespaces of its own, and nothing written to either."""
import os
import shlex
import subprocess


def quote(*words):
    return " ".join(shlex.quote(str(word)) for word in words)


def limits(security):
    """Options of setpriv for a container's securityContext."""
    options = []
    if security.get("runAsUser") is not None:
        group = security.get("runAsGroup", security["runAsUser"])
        groups = ",".join(map(str, security.get("supplementalGroups", [])))
        options += [f"--reuid={security['runAsUser']}", f"--regid={group}", f"--groups={groups}" if groups else "--clear-groups"]
    capabilities = security.get("capabilities", {})
    if not security.get("privileged") and "ALL" in capabilities.get("drop", []):
        options.append("--bounding-set=" + ",".join(["-all"] + ["+" + name.lower() for name in capabilities.get("add", [])]))
        options.append("--inh-caps=-all")
    if security.get("allowPrivilegeEscalation") is False:
        options.append("--no-new-privs")
    return options


def script(folder, image, mounts, security, workdir, command):
    """Makes the root and becomes the program. mounts: (source, path, read only) of files and folders."""
    root, layers = f"{folder}/root", ":".join(filter(None, [image.layer, "/"]))
    lines = [
        "set -eu",
        quote("mkdir", "-p", root, f"{folder}/upper", f"{folder}/work"),
        quote("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={layers},upperdir={folder}/upper,workdir={folder}/work", root),
        *(f"mount --rbind /{name} {quote(root)}/{name}" for name in ("dev", "proc", "sys")),
    ]
    # All places first, looked up inside, where /var/run is a link: what is mounted may change how programs run in there.
    bind = []
    for number, (source, path, read_only) in enumerate(sorted(mounts, key=lambda mount: mount[1])):
        inside, kind = quote(path), "mkdir -p" if os.path.isdir(source) else "touch"
        make = f"mkdir -p {quote(os.path.dirname(path))}; [ -e {inside} ] || {kind} {inside}; realpath {inside}"
        lines.append(f"place{number}={quote(root)}$(chroot {quote(root)} sh -c {shlex.quote(make)})")
        bind.append(f'[ -e "$place{number}" ] || {kind} "$place{number}"')  # below one of the others
        bind.append(f'mount --bind {quote(source)} "$place{number}"')
        if read_only:
            bind.append(f'mount -o remount,bind,ro "$place{number}"')
    lines += bind
    lines.append("exec " + quote("chroot", root, "setpriv", *limits(security), "env", "-C", workdir, *command))
    return "\n".join(lines)


def start(folder, image, mounts, security, workdir, command, environment, network, log):
    """network: a process in whose network it runs, if not in ours."""
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/start.sh", "w") as file:
        file.write(script(folder, image, mounts, security, workdir, command))
    enter = ["nsenter", f"--net=/proc/{network}/ns/net"] if network else []
    path = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
    with open(log, "ab") as output:
        return subprocess.Popen([*enter, "unshare", "--mount", "--propagation", "private", "bash", f"{folder}/start.sh"],
                                stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={**path, **image.environment, **environment},
                                start_new_session=True)
