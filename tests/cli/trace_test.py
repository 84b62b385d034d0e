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
            begin, duration = round(event["ts"] * 1000), round(event["dur"] * 1000)  # nanoseconds, so that what touches is seen to
            spans[event["pid"], event["tid"]].append((begin, -duration, event))
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
            while around and around[-1] <= begin:
                around.pop()
            assert not around or begin - minus <= around[-1], f"overlaps: {event}"
            around.append(begin - minus)


# What JAX does instead of launching kernels and waiting for them: graphs, and functions that streams call.
LIKE_A_FRAMEWORK = """
import ctypes, sys, threading
hip = ctypes.CDLL("libamdhip64.so.7")
ok = lambda error: error and sys.exit(f"error {error}")
pointer, n = ctypes.c_void_p, 1024
module, kernel, stream, graph, instance, arrays = pointer(), pointer(), pointer(), pointer(), pointer(), [pointer() for _ in range(3)]
ok(hip.hipModuleLoad(ctypes.byref(module), sys.argv[1].encode()))
ok(hip.hipModuleGetFunction(ctypes.byref(kernel), module, b"vector_add"))
ok(hip.hipStreamCreate(ctypes.byref(stream)))
for array in arrays: ok(hip.hipMalloc(ctypes.byref(array), ctypes.c_size_t(4 * n)))
values = [*arrays, ctypes.c_uint(n)]
parameters = (pointer * 4)(*[ctypes.cast(ctypes.byref(value), pointer) for value in values])
function = ctypes.CFUNCTYPE(None, pointer)
nothing = function(lambda _: None)
ok(hip.hipStreamBeginCapture(stream, 0))
for _ in range(3): ok(hip.hipModuleLaunchKernel(kernel, n // 256, 1, 1, 256, 1, 1, 0, stream, parameters, None))
if sys.argv[2] == "whole": ok(hip.hipLaunchHostFunc(stream, nothing, None))
ok(hip.hipStreamEndCapture(stream, ctypes.byref(graph)))
ok(hip.hipGraphInstantiate(ctypes.byref(instance), graph, None, None, ctypes.c_size_t(0)))
done = threading.Semaphore(0)
told = function(lambda _: done.release())
for _ in range(5):
    ok(hip.hipGraphLaunch(instance, stream))
    ok(hip.hipLaunchHostFunc(stream, told, None))
    done.acquire()
"""


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

    def trace_framework(self, graph):
        events, said = self.trace(BUILD / "bin/hip-remote", "trace", "-o", "FILE", "--worker", self.address, "--",
                                  sys.executable, "-c", LIKE_A_FRAMEWORK, BUILD / "examples/vector_add.co", graph)
        return said, lambda category, name="": sorted((e["ts"], e["ts"] + e["dur"]) for e in events
                                                      if e.get("cat") == category and name in e["name"])

    def test_kernels_of_graphs_and_functions_that_streams_call(self):
        said, of = self.trace_framework("of kernels")
        launches, kernels, functions = of("hip", "hipGraphLaunch"), of("kernel"), of("host")
        self.assertEqual([len(launches), of("kernel", "vector_add"), len(functions)], [5, kernels, 5])
        self.assertEqual(len(kernels), 3 * len(launches))
        for number, (begin, end) in enumerate(kernels):
            self.assertGreater(end, begin)
            self.assertGreaterEqual(begin, launches[number // 3][0] - CLOCK)
            self.assertLessEqual(end, functions[number // 3][0] + CLOCK)
        self.assertIn("15 kernels", said)

    def test_a_graph_with_a_function_is_one_bar(self):
        said, of = self.trace_framework("whole")
        launches, graphs = of("hip", "hipGraphLaunch"), of("kernel", "graph: vector_add and 2 more")
        self.assertEqual([len(launches), len(graphs)], [5, 5])
        for launch, graph, function in zip(launches, graphs, of("host")[1::2]):  # each graph has one, and its launch is followed by one
            self.assertGreaterEqual(graph[0], launch[0] - CLOCK)
            self.assertLessEqual(graph[1], function[0] + CLOCK)
        self.assertIn("graph: vector_add and 2 more", said)

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
