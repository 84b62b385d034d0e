"""For tests of the page: a worker on softgpu that serves it, and programs that use its GPU."""
import os
import re
import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else Path("build").resolve()


class Serving:
    """The worker, and whatever start() runs on it, for as long as the block lasts."""

    def __init__(self, **environment):
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "HIP_", "LD_", "TENSOR_FUSION"))}
        self.usage = tempfile.TemporaryDirectory()  # what other programs do on softgpu is not on this page
        self.environment["HIP_REMOTE_SOFTGPU_USAGE"] = self.usage.name
        self.programs = []
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
        self.worker = subprocess.Popen([BUILD / "bin/hip-worker", "--runtime", "softgpu", "-p", "0", "--grace", "1", "--cache", "", "--http", str(self.port)],
                                       env=self.environment | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.worker.stdout:
            if found := re.search(r"Listening on port (\d+)", line):
                self.environment |= {"TF_WORKER_HOST": f"127.0.0.1:{found[1]}", "HIP_REMOTE_TRANSPORT": "tcp", "LD_LIBRARY_PATH": str(BUILD / "lib")}
                break
        else:
            raise RuntimeError(f"the worker ended with {self.worker.wait()}")

    def start(self, *command):
        """A program that ends with its input, or is ended."""
        self.programs.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment))
        return self.programs[-1]

    def read(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
            return answer.read().decode()

    def end_programs(self):
        for program in self.programs:
            program.kill()
            program.communicate()
        self.programs.clear()

    def end_worker(self):
        self.worker.terminate()
        self.worker.stdout.close()
        self.worker.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end_programs()
        if self.worker.returncode is None:
            self.end_worker()
        self.usage.cleanup()
