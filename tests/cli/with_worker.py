"""For tests of `hip-remote`: a worker on softgpu, and an environment in which nothing points at another one."""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else Path("build").resolve()
MEMORY = 512  # MiB of the software GPU


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "HIP_", "LD_", "TENSOR_FUSION"))}
    return kept | {"HIP_REMOTE_SOFTGPU_MEMORY": str(MEMORY)} | more


class WithWorker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = subprocess.Popen([BUILD / "bin/hip-worker", "--runtime", "softgpu", "-p", "0", "--grace", "1", "--cache", ""],
                                      env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in cls.worker.stdout:
            if found := re.search(r"Listening on port (\d+)", line):
                cls.address = f"127.0.0.1:{found[1]}"
                break

    @classmethod
    def tearDownClass(cls):
        cls.worker.terminate()
        cls.worker.stdout.close()
        cls.worker.wait(20)
