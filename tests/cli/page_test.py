#!/usr/bin/env python3
"""The page of `hip-worker --http` while sixteen programs have sessions: what it shows is there, and looking at it is cheap.

  page_test.py BUILD_DIR
"""
import re
import socket
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path

from with_worker import BUILD, environment

PROGRAMS = 16
READINGS = 40
MOST = 0.01  # of one processor, for somebody who looks
HOLD = """
import ctypes, sys
hip, there = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
print(hip.hipMalloc(ctypes.byref(there), ctypes.c_size_t(1 << 20)), flush=True)
sys.stdin.read()
"""


def family(process):
    """A process and everything it has started."""
    yield process
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from family(int(child))


def processor_time(processes):
    """Seconds, to the nanosecond."""
    return sum(int((task / "schedstat").read_text().split()[0]) for process in processes
               for task in Path(f"/proc/{process}/task").iterdir()) * 1e-9


class Page(unittest.TestCase):
    def test_sixteen_programs(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        worker = subprocess.Popen([BUILD / "bin/hip-worker", "--runtime", "softgpu", "-p", "0", "--grace", "1", "--cache", "",
                                   "--http", str(port)], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in worker.stdout:
            if found := re.search(r"Listening on port (\d+)", line):
                break
        programs = [subprocess.Popen([sys.executable, "-c", HOLD, BUILD / "lib/libamdhip64.so.7"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True, env=environment(TF_WORKER_HOST=f"127.0.0.1:{found[1]}"))
                    for _ in range(PROGRAMS)]
        try:
            for program in programs:
                self.assertEqual(program.stdout.readline(), "0\n")

            def read(path):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
                    return answer.read().decode()

            page, numbers = read("/"), read("/metrics")
            self.assertNotRegex(page, r"(src|href)=.https?:", "something comes from elsewhere")
            period = int(re.search(r"PERIOD = (\d+)", page)[1]) / 1000
            sessions = set(re.findall(r'^hip_worker_session_\w+\{[^}]*session="([^"]+)"', numbers, re.M))
            self.assertEqual(len(sessions), PROGRAMS, numbers)

            processes = list(family(worker.pid))
            before = processor_time(processes)
            for _ in range(READINGS):
                read("/metrics")
            spent = (processor_time(processes) - before) / READINGS
            print(f"a reading costs {spent * 1000:.2f} ms, one every {period} s: {spent / period:.3%} of a processor")
            self.assertLess(spent / period, MOST)
        finally:
            for program in programs:
                program.communicate()  # the end of its input ends it
            worker.terminate()
            worker.stdout.close()
            worker.wait(20)


if __name__ == "__main__":
    unittest.main()
