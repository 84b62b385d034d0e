#!/usr/bin/env python3
"""Looking at the page of `hip-worker --http` is cheap, also while sixteen programs have sessions.

  cost_test.py BUILD_DIR
"""
import re
import sys
import unittest
from pathlib import Path

from serving import BUILD, Serving

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


class Cost(unittest.TestCase):
    def test_sixteen_programs(self):
        with Serving() as serving:
            for program in [serving.start(sys.executable, "-c", HOLD, BUILD / "lib/libamdhip64.so.7") for _ in range(PROGRAMS)]:
                self.assertEqual(program.stdout.readline(), "0\n")
            page, numbers = serving.read("/"), serving.read("/metrics")
            period = int(re.search(r"PERIOD = (\d+)", page)[1]) / 1000
            sessions = set(re.findall(r'^hip_worker_session_\w+\{[^}]*session="([^"]+)"', numbers, re.M))
            self.assertEqual(len(sessions), PROGRAMS, numbers)

            processes = list(family(serving.worker.pid))
            before = processor_time(processes)
            for _ in range(READINGS):
                serving.read("/metrics")
            spent = (processor_time(processes) - before) / READINGS
            print(f"a reading costs {spent * 1000:.2f} ms, one every {period} s: {spent / period:.3%} of a processor")
            self.assertLess(spent / period, MOST)


if __name__ == "__main__":
    unittest.main()
