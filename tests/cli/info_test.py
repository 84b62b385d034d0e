"""`hip-remote info`: the GPUs, and of each worker the way to it and how fast that is."""
import re
import subprocess
import unittest

from with_worker import BUILD, WithWorker, environment

SPEED = r"a round trip takes \S+ us; upload \S+ [MG]iB/s, download \S+ [MG]iB/s"


def info(**variables):
    done = subprocess.run([BUILD / "bin/hip-remote", "info"], env=environment(**variables), capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout


class Info(WithWorker):
    def test_one_worker_and_the_way_to_it(self):
        for transport, name in (("auto", "shared memory"), ("tcp", "tcp")):
            code, text = info(TF_WORKER_HOST=self.address, HIP_REMOTE_TRANSPORT=transport)
            self.assertEqual(code, 0)
            self.assertRegex(text, rf"worker {self.address}: 1 GPU \(0\)\n +{name}: {SPEED}")

    def test_several_as_one_machine(self):
        code, text = info(TF_WORKER_HOST=f"{self.address},{self.address}", HIP_REMOTE_WORKERS="all", HIP_REMOTE_TRANSPORT="tcp")
        self.assertEqual(code, 0)
        self.assertIn("2 GPUs", text)
        self.assertEqual(re.findall(r"worker .*: 1 GPU \((\d)\)", text), ["0", "1"])

    def test_one_of_a_list_that_does_not_answer(self):
        code, text = info(TF_WORKER_HOST=f"127.0.0.1:1,{self.address}", HIP_REMOTE_TRANSPORT="tcp")
        self.assertEqual(code, 0, "the other one serves")
        self.assertRegex(text, r"worker 127.0.0.1:1: .*Connection refused")
        self.assertRegex(text, rf"worker {self.address}: 1 GPU")


if __name__ == "__main__":
    unittest.main()
