#!/usr/bin/env python3
"""The page of `hip-worker --http` as somebody sees it: in a browser, while sixteen programs work on two software GPUs, and one whose name would like to be HTML.

  look_test.py BUILD_DIR          SCREENSHOT=FILE keeps what it looks like after two minutes
"""
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import browser
from serving import BUILD, Serving

COPIERS, LOADS = 8, 8
MEMORY = 2048  # MiB of each GPU
HELD = 16      # MiB of each program
HOSTILE = "<img src=x onerror=window.fooled=1>"
COPY = f"""
import ctypes, os, sys, time
hip, there, size = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.c_size_t({HELD} << 20)
here = ctypes.create_string_buffer(os.urandom(1 << 18))
failed = hip.hipSetDevice(1) or hip.hipMalloc(ctypes.byref(there), size)
for step in range(1 << 30):
    failed = failed or hip.hipMemcpy(there, here, ctypes.c_size_t(len(here)), 1) or hip.hipMemcpy(here, there, ctypes.c_size_t(len(here)), 2)
    if step == 0: print(failed, flush=True)
    here[0] = step % 256
    time.sleep(0.1)
"""
TEXT = "(of => document.querySelector(of).innerText)"
ROWS = "[...document.querySelectorAll('#sessions tr')].map(row => [...row.children].map(cell => cell.innerText))"
# Of each line of each chart, where its points are on the screen, relative to its chart: 0 is the bottom or the left, 1 the top or the right.
LINES = """[...document.querySelectorAll('.chart')].map(chart => {
  const frame = chart.getBoundingClientRect();
  return [...chart.querySelectorAll('polyline')].map(line => [...line.points].map(point => {
    const at = new DOMPoint(point.x, point.y).matrixTransform(line.getScreenCTM());
    return [(at.x - frame.left) / frame.width, (frame.bottom - at.y) / frame.height];
  }));
})"""


def mebibytes(text):
    number, unit = text.split()
    return float(number) * {"B": 2**-20, "KiB": 2**-10, "MiB": 1, "GiB": 2**10}[unit]


class Look(unittest.TestCase):
    def programs(self, serving, folder):
        """Some that compute on the first GPU, the last of them the one with the name, and some that copy to and from the second."""
        hostile = shutil.copy(BUILD / "examples/gpu_load", Path(folder) / HOSTILE)
        for load in [BUILD / "examples/gpu_load"] * LOADS + [hostile]:
            serving.start(load, "600", str(HELD))
        for program in [serving.start(sys.executable, "-c", COPY, BUILD / "lib/libamdhip64.so.7") for _ in range(COPIERS)]:
            self.assertEqual(program.stdout.readline(), "0\n")

    def test_live(self):
        with tempfile.TemporaryDirectory() as folder, Serving(HIP_REMOTE_SOFTGPU="gfx90a,gfx942", HIP_REMOTE_SOFTGPU_MEMORY=str(MEMORY)) as serving:
            self.programs(serving, folder)
            with browser.Browser(1280, 960) as window:
                window.open(f"http://127.0.0.1:{serving.port}/")
                self.sees_gpus(window)
                self.sees_sessions(window)
                self.sees_charts(window)
                self.fits(window)
                if "SCREENSHOT" in os.environ:
                    self.picture(window, serving, os.environ["SCREENSHOT"])
                self.assertEqual({re.match(r"http://[^/]*", url)[0] for url in window.requests}, {f"http://127.0.0.1:{serving.port}"}, "something comes from elsewhere")
                self.assertEqual(window.troubles, [])
                self.sees_the_end(window, serving)

    def sees_gpus(self, window):
        held = f"{LOADS + 1} programs hold {HELD} MiB each"
        cards = window.wait_for("[...document.querySelectorAll('#gpus .card')].map(card => card.innerText)", 60)
        self.assertEqual([re.search(r"Software GPU \((\w+)\)", card)[1] for card in cards], ["gfx90a", "gfx942"])
        window.wait_for(f"/[1-9]\\d* % busy/.test({TEXT}('#gpu-0'))", 60)
        for number, programs in enumerate((LOADS + 1, COPIERS)):
            used = window.wait_for(f"(/([\\d.]+ [KMG]iB) of 2.0 GiB/.exec({TEXT}('#gpu-{number}')) || [])[1]", 60)
            self.assertGreaterEqual(mebibytes(used), programs * HELD, held)
            self.assertLess(mebibytes(used), MEMORY / 2, held)
        self.assertEqual(window.evaluate(f"{TEXT}('#state')"), "telemetry from softgpu")

    def sees_sessions(self, window):
        programs = LOADS + 1 + COPIERS
        rows = window.wait_for(f"(rows => rows.length == {programs} && rows)({ROWS})", 60)
        self.assertEqual(window.evaluate(f"{TEXT}('#count')"), f"{programs} now, {programs} in all")
        columns = window.evaluate("[...document.querySelectorAll('#columns th')].map(cell => cell.innerText)")
        sessions = [dict(zip(columns, row)) for row in rows]
        names = sorted(session["program"] for session in sessions)
        self.assertEqual(names.count("gpu_load"), LOADS, names)
        self.assertEqual(names.count(HOSTILE), 1, names)
        self.assertIsNone(window.evaluate("window.fooled"))
        for session in sessions:
            self.assertGreaterEqual(mebibytes(session["memory"]), HELD, session)
            self.assertRegex(session["since"], r"^\d+ (s|min)$")
            self.assertRegex(session["client"], r":\d+$")
            self.assertRegex(session["most used limit"], r"^[a-z ]+ \d+ %$")
            self.assertEqual(session["failures"], "0")
            self.assertEqual(mebibytes(session["received"]) >= 0.25, session["program"] not in ("gpu_load", HOSTILE), session)
        trips = window.evaluate(f"{ROWS}.reduce((sum, row) => sum + Number(row[{columns.index('round trips')}]), 0)")
        self.assertGreater(trips, COPIERS)
        window.wait_for(f"{ROWS}.reduce((sum, row) => sum + Number(row[{columns.index('round trips')}]), 0) > {trips}", 60)

    def sees_charts(self, window):
        seen = window.evaluate(f"{LINES}[0][0].length")
        charts = window.wait_for(f"(charts => charts.every(lines => lines.every(line => line.length >= {seen + 3})) && charts)({LINES})", 60)
        self.assertEqual([len(lines) for lines in charts], [2, 2, 2, 1])
        for line in (line for lines in charts for line in lines):
            self.assertAlmostEqual(line[-1][0], 1, places=2, msg="the newest is at the right")
            self.assertEqual(line, sorted(line, key=lambda point: point[0]))
            for x, y in line:
                self.assertTrue(0 <= x <= 1.01 and -0.02 <= y <= 1.02, line)
        (busy, memory), (_, other_memory), (received, sent), (trips,) = charts
        self.assertGreater(busy[-1][1], 0.5, "eight programs keep the GPU busy")
        for line, programs in ((memory, LOADS + 1), (other_memory, COPIERS)):
            self.assertGreater(line[-1][1], 0.9 * programs * HELD / MEMORY)
            self.assertLess(line[-1][1], 0.5)
        for line in (received, sent, trips):
            self.assertGreater(max(y for _, y in line), 0.4, "the scale fits what is shown")

    def fits(self, window):
        for width in (1280, 420):
            window.resize(width, 960)
            self.assertLessEqual(window.evaluate("document.scrollingElement.scrollWidth"), width, "the page is wider than its window")
        window.resize(1280, 960)

    def picture(self, window, serving, file):
        """For people: without the name, and with something in the charts."""
        serving.programs[LOADS].kill()
        window.wait_for(f"{ROWS}.length == {LOADS + COPIERS} && {LINES}[0][0].length >= 60", 180)
        window.screenshot(file)

    def sees_the_end(self, window, serving):
        serving.end_programs()
        window.wait_for(f"{TEXT}('#count').startsWith('0 now')", 60)
        self.assertEqual(window.evaluate(ROWS), [])
        serving.end_worker()
        window.wait_for(f"{TEXT}('#state').startsWith('no answer')", 60)


if __name__ == "__main__":
    if not browser.PROGRAM:
        print("skipped the page in a browser: chromium is not installed\n0 passed, 0 failed")
        sys.exit()
    unittest.main()
