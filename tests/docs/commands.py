#!/usr/bin/env python3
"""The commands that README.md and docs/ show, run as they stand.

  commands.py SOURCE_DIR BUILD_DIR

Commands stand in blocks marked bash or sh, and behind a "$ " in others. Each document has a folder of its own, with the sources
and the build in it; hip-worker serves the software GPU there, on loopback, and is what the document's host names mean. What
cannot run here is listed below with the reason; a command that is neither is an error, and so is an entry that no command needs.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()

ELSEWHERE = {  # what a command begins with: why it is not run
    r"\./test$": "this is it",
    r"(cmake --preset packages|\(cd build && cpack\)|scripts/(wheel|deps\.sh))": "./test --only packages",
    r"(apt|pip|brew|git archive) ": "changes the machine",
    r"(sudo|kubectl|helm|scripts/test-amd-cluster.sh|deploy/docker/images.sh) ": "a cluster, or a machine with AMD's GPUs",
    r"(ls -l /dev/kfd|cat /sys/module/amdgpu|/opt/rocm)": "a machine with AMD's GPUs",
    r"ssh ": "a second machine",
    r"hip-remote smi ": "AMD's amd-smi; tests/smi/amd_smi.py runs it where it is installed",
    r"(hip-remote run .*)?llama-completion": "docs/frameworks.md says with what it was run",
    r".*python (script|examples/frameworks/\w+)\.py": "docs/frameworks.md says with what it was run",
    r"(mkdir -p rocm/lib|ln -s )": "docs/frameworks.md says with what it was run",
    r".*(tools/hip_tests/run\.py|\$run )": "HIP's own tests, built by hand",
    r"build/bin/hip-worker --runtime softgpu -p 50000 &": "HIP's own tests, built by hand",
    r".*hip-remote-bench( softgpu)?( --json numbers\.json)?$": "a minute each: the part \"bench\" of ./test runs all of it once",
    r"bench/table.py": "writes docs/performance.md",
    r"(scripts/cross\.sh|cmake --(preset|build)|\$\(brew|cl |x86_64-w64|cp \.\./\.\./bin|.*wine64|hipcc --genco|\{ echo)":
        "builds, most for other systems: ./test --only windows, macos",
}
used = set()
blocks = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.S | re.M)


def commands(text):
    for language, block in blocks.findall(text):
        lines = block.replace("\\\n", " ").splitlines()
        if language in ("bash", "sh"):
            shown = lines
        else:
            shown = [line[2:] for line in lines if line.startswith("$ ")]
        for line in shown:
            if line := re.sub(r"(^|\s+)# .*", "", line).strip():
                yield line


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Document:
    def __init__(self, path, folder):
        self.path, self.folder, self.exports, self.workers, self.address = path, folder, [], [], None
        for name in ("demo", "scripts", "bench", "examples", "docs", "deploy", "tools"):
            (folder / name).symlink_to(root / name)
        (folder / "build").symlink_to(build)
        (folder / "saxpy.hip").symlink_to(root / "tests/docs/saxpy.hip")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "HIP_", "LD_"))}
        self.environment |= {"HIP_REMOTE_SOFTGPU_MEMORY": "512", "PATH": f"{build / 'bin'}:/usr/bin:/bin", "BUILD_DIR": str(build)}

    def shell(self, command):
        return ["bash", "-c", "\n".join(["set -e", *self.exports, command])]

    def start_worker(self, command):
        command = re.sub(r"--(metrics|http) \d+", lambda option: f"--{option[1]} {free_port()}", command.replace("'*'", "127.0.0.1"))
        worker = subprocess.Popen(self.shell(f"exec {command} --runtime softgpu --port 0 --grace 1 --cache ''"), env=self.environment,
                                  cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.workers.append(worker)
        said = ""
        for line in worker.stdout:
            said += line
            if found := re.search(r"Listening on port (\d+)", line):
                threading.Thread(target=worker.stdout.read, daemon=True).start()
                self.address = self.address or f"127.0.0.1:{found[1]}"
                return ""
        return said

    def run(self, command):
        """What went wrong; empty when nothing did."""
        if re.match(r"(build/bin/)?hip-worker (?!.*\bhelp)", command):
            return self.start_worker(command)
        command = re.sub(r"\./app|your-program", "./saxpy", command).replace("/usr/lib/hip-remote", "build/lib")
        if "./saxpy" in command and not (self.folder / "saxpy").exists():
            subprocess.run(self.shell("hipcc --offload-arch=gfx90a saxpy.hip -o saxpy"), env=self.environment, cwd=self.folder, check=True)
        if re.search(r"\b(gpu-box|other-box)\b|smi-remote", command) and not self.address:
            self.start_worker("hip-worker")
        command = re.sub(r"\b(gpu-box|other-box)\b", self.address or "", command)
        if command.startswith("smi-remote") and "--host" not in command:
            command += f" --host {self.address}"
        if command.startswith("export "):
            self.exports.append(command)
            return ""
        done = subprocess.Popen(self.shell(command), env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            said, _ = done.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)  # with what it has started
            return "takes more than five minutes"
        return f"exit code {done.returncode}\n{said[-1500:]}" if done.returncode else ""

    def close(self):
        for worker in self.workers:
            worker.terminate()
            worker.wait(30)
            worker.stdout.close()


ran, failures = 0, []
for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    with tempfile.TemporaryDirectory(prefix="hip-remote-docs-") as folder:
        document = Document(path, Path(folder))
        try:
            for command in commands(path.read_text()):
                if reason := next((pattern for pattern in ELSEWHERE if re.match(pattern, command)), None):
                    used.add(reason)
                    continue
                ran += 1
                if why := document.run(command):
                    failures.append(f"{path.name}: {command}: {why}")
        finally:
            document.close()
failures += [f"nothing needs the entry {pattern}" for pattern in ELSEWHERE if pattern not in used]
if ran < 20:
    failures.append(f"only {ran} commands were found: this test is broken")
print("\n".join(failures) or f"{ran} commands of the documents work")
sys.exit(bool(failures))
