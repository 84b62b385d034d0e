#!/usr/bin/env python3
"""hip-worker --pairing and hip-remote pair: from nothing to a program that needs nothing but the worker's name.

  pair_test.py BUILD_DIR

Over loopback, where TLS is asked for (HIP_REMOTE_TLS=1).
"""
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else Path("build").resolve()


def environment(home, **more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "HIP_", "LD_", "XDG_", "TENSOR_FUSION"))}
    return kept | {"HOME": str(home), "HIP_REMOTE_SOFTGPU_MEMORY": "256"} | more


class Pairing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.there, self.here = Path(folder.name) / "there", Path(folder.name) / "here"
        self.there.mkdir()
        self.here.mkdir()

    def worker(self):
        """A worker that makes its own token; returns its address and what it has printed."""
        process = subprocess.Popen([BUILD / "bin/hip-worker", "--runtime", "softgpu", "-p", "0", "--grace", "1", "--cache", "",
                                    "--pairing", "--require-tls"], env=environment(self.there),
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        said = ""
        for line in process.stdout:
            said += line
            if found := re.search(r"Listening on port (\d+)", line):
                return f"127.0.0.1:{found[1]}", said
        raise AssertionError(said)

    def remote(self, *arguments, said=""):
        return subprocess.run([BUILD / "bin/hip-remote", *arguments], env=environment(self.here, HIP_REMOTE_TLS="1"), input=said,
                              capture_output=True, text=True, timeout=60)

    def test_from_nothing_to_a_program(self):
        address, said = self.worker()
        token = (self.there / ".config/hip-remote/token").read_text().strip()
        self.assertRegex(token, r"^[0-9a-f]{64}$")
        self.assertIn(token, said)
        self.assertIn("hip-remote pair", said)
        self.assertEqual(stat.S_IMODE((self.there / ".config/hip-remote/token").stat().st_mode), 0o600)

        self.assertNotEqual(self.remote("info", "--worker", address).returncode, 0)
        done = self.remote("pair", address, said=token + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(token, done.stdout + done.stderr)
        kept = list((self.here / ".config/hip-remote/workers").iterdir())
        self.assertEqual([stat.S_IMODE(file.stat().st_mode) for file in kept], [0o600])
        done = self.remote("info", "--worker", address)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 GPU", done.stdout)
        done = subprocess.run([BUILD / "bin/smi-remote", "--host", address, "list"], env=environment(self.here, HIP_REMOTE_TLS="1"),
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_wrong_token_is_not_kept(self):
        address, _ = self.worker()
        done = self.remote("pair", address, said="not the token of this worker\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("refused the token", done.stderr)
        self.assertFalse((self.here / ".config").exists())

    def test_the_token_stays_when_the_worker_starts_again(self):
        self.worker()
        token = (self.there / ".config/hip-remote/token").read_text()
        self.worker()
        self.assertEqual((self.there / ".config/hip-remote/token").read_text(), token)


if __name__ == "__main__":
    unittest.main()
