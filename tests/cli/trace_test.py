#!/usr/bin/env python3
"""`hip-remote trace`: the file is what Perfetto reads, and the times in it fit together.

  trace_test.py BUILD_DIR

The rules of the trace event format that are checked: an array of objects; each has a phase, a process, a thread and a name; times
are numbers of microseconds; complete events have a duration and those of one thread contain each other or do not touch; pairs of
asynchronous events match; counters carry numbers.
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

from with_worker import BUILD, WithWorker, environment

CLOCK = 50  # microseconds that the two clocks may be apart on one host


def check_format(events):
    """Raises an AssertionError that names the first event that breaks a rule."""
    assert isinstance(events, list) and events
    open_pairs, spans = {}, defaultdict(list)
    for event in events:
        assert isinstance(event, dict), event
        for field, kind in (("ph", str), ("pid", int), ("tid", int), ("name", str)):
            assert isinstance(event.get(field), kind), event
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name", "process_labels") and event["args"], event
            continue
        assert isinstance(event["ts"], (int, float)) and event["ts"] >= 0, event
        if event["ph"] == "X":
            assert isinstance(event["dur"], (int, float)) and event["dur"] >= 0, event
            spans[event["pid"], event["tid"]].append((event["ts"], -event["dur"], event))
        elif event["ph"] == "b":
            assert (event["cat"], event["id"]) not in open_pairs, event
            open_pairs[event["cat"], event["id"]] = event
        elif event["ph"] == "e":
            assert open_pairs.pop((event["cat"], event["id"]))["ts"] <= event["ts"], event
        elif event["ph"] == "C":
            assert event["args"] and all(isinstance(value, (int, float)) for value in event["args"].values()), event
        else:
            raise AssertionError(f"phase {event}")
    assert not open_pairs, open_pairs
    for of_thread in spans.values():
        around = []
        for begin, minus, event in sorted(of_thread, key=lambda span: span[:2]):
            while around and around[-1] <= begin + 1e-9:
                around.pop()
            assert not around or begin - minus <= around[-1] + 1e-3, f"overlaps: {event}"
            around.append(begin - minus)


class Trace(WithWorker):
    def trace(self, *command, **more):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace.json"
            done = subprocess.run([str(word).replace("FILE", str(file)) for word in command], capture_output=True, text=True,
                                  timeout=200, env=environment(**{k: v.replace("FILE", str(file)) for k, v in more.items()}))
            self.assertEqual(done.returncode, 0, done.stderr)
            events = json.loads(file.read_text())
        check_format(events)
        return events, done.stderr

    def test_matmul(self):
        events, said = self.trace(BUILD / "bin/hip-remote", "trace", "-o", "FILE", "--worker", self.address, "--",
                                  BUILD / "examples/matmul")
        of = lambda category: [e for e in events if e.get("cat") == category]
        kernels, waits, calls = of("kernel"), of("wait"), of("hip")
        self.assertTrue(kernels and waits and calls)
        self.assertTrue(all("matmul" in wait["args"]["module"] for wait in waits), waits)
        self.assertEqual(len([e for e in events if e["ph"] == "b"]), len(kernels))

        # The shortest round trip tells how well the clocks are known.
        known = [float(found[1]) for e in events if (found := re.search(r"within ([0-9.]+) us", str(e.get("args"))))]
        self.assertLessEqual(min(known), CLOCK)

        # Each kernel runs after a launch was called, and is over when the program's last wait that could tell is.
        launches = sorted(e["ts"] for e in calls if "Launch" in e["name"])
        last = max(e["ts"] + e["dur"] for e in waits)
        for kernel in kernels:
            self.assertGreaterEqual(kernel["ts"], launches[0] - CLOCK)
            self.assertLessEqual(kernel["ts"] + kernel["dur"], last + CLOCK)
        for name in ("round trips", "longest waits", "what would make this faster", "from matmul"):
            self.assertIn(name, said)

    def test_by_the_variable_alone(self):
        events, _ = self.trace(BUILD / "examples/matmul", HIP_REMOTE_TRACE="FILE", TF_WORKER_HOST=self.address,
                               LD_LIBRARY_PATH=str(BUILD / "lib"))
        self.assertTrue(any(e.get("cat") == "kernel" for e in events))

    def test_the_checker_finds_mistakes(self):
        good = [{"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1, "dur": 5},
                {"ph": "X", "pid": 1, "tid": 1, "name": "b", "ts": 2, "dur": 2}]
        check_format(good)
        for bad in ([], [{"ph": "X"}], [dict(good[0], dur=-1)], [good[0], dict(good[1], dur=9)],
                    [{"ph": "b", "cat": "q", "id": 1, "pid": 1, "tid": 1, "name": "c", "ts": 1}],
                    [{"ph": "C", "pid": 1, "tid": 1, "name": "c", "ts": 1, "args": {"x": "much"}}]):
            with self.assertRaises(AssertionError, msg=str(bad)):
                check_format(bad)


if __name__ == "__main__":
    unittest.main()
