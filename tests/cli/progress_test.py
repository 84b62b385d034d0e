#!/usr/bin/env python3
"""Work that takes long says so in one line of a terminal, which is gone afterwards; a log has nothing of it.

  progress_test.py BUILD_DIR

Each program runs with its stderr on a terminal of our own making, and again with a pipe instead. What is slow is made so: a relay
that lets through so much a second, a port that nobody accepts from, a worker that is full, a long text for the compiler.
"""
import os
import pty
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from with_worker import BUILD, WithWorker, environment

ERASE = "\r\x1b[K"  # what begins a line, and what is left of it in the end
RATE = 20 << 20     # bytes a second that the relay lets through
MIB = 1 << 20

HIP = """
import ctypes, sys
hip = ctypes.CDLL(sys.argv[1])
def ok(code):
    if code: sys.exit(f"HIP says {code}")
"""
COUNT = HIP + "n = ctypes.c_int(); ok(hip.hipGetDeviceCount(ctypes.byref(n))); print(n.value, flush=True)\n"
HOLD = COUNT + "sys.stdin.read()\n"
MOVE = HIP + """
size = 64 << 20
there, here = ctypes.c_void_p(), ctypes.create_string_buffer(b"x" * 99, size)
ok(hip.hipMalloc(ctypes.byref(there), ctypes.c_size_t(size)))
ok(hip.hipMemcpy(there, here, ctypes.c_size_t(size), 1))
module, code = ctypes.c_void_p(), open(sys.argv[2], "rb").read()
ok(hip.hipModuleLoadData(ctypes.byref(module), code))
ok(hip.hipDeviceSynchronize())
back = ctypes.create_string_buffer(100)
ok(hip.hipMemcpy(back, there, ctypes.c_size_t(99), 2))
print(back.value.decode())
"""
COMPILE = """
import ctypes, sys
rtc = ctypes.CDLL(sys.argv[1])
body = "".join(f"__device__ float f{i}(float x) {{ for (int i = 0; i < 9; ++i) x = x * {i}.5f + sinf(x); return x; }}\\n"
               for i in range(700))
body += "extern \\"C\\" __global__ void k(float* p) { *p = f0(*p)" + "".join(f" + f{i}(*p)" for i in range(1, 700)) + "; }\\n"
program = ctypes.c_void_p()
rtc.hiprtcCreateProgram(ctypes.byref(program), body.encode(), b"slow.hip", 0, None, None)
options = (ctypes.c_char_p * 2)(b"--gpu-architecture=gfx90a", b"-O1")
print(rtc.hiprtcCompileProgram(program, 2, options))
"""


class SlowRelay:
    """Passes connections on to `address`, at RATE towards it."""

    def __init__(self, address):
        self.host, self.port = address.rsplit(":", 1)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.ends = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            worker = socket.create_connection((self.host, int(self.port)))
            self.ends += [client, worker]
            threading.Thread(target=self.pump, args=(client, worker, RATE), daemon=True).start()
            threading.Thread(target=self.pump, args=(worker, client, None), daemon=True).start()

    @staticmethod
    def pump(source, to, rate):
        due = time.monotonic()
        try:
            while data := source.recv(256 << 10):
                if rate:
                    due = max(due, time.monotonic()) + len(data) / rate
                    time.sleep(max(0, due - time.monotonic()))
                to.sendall(data)
        except OSError:
            pass
        for end in (source, to):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        for end in (self.listener, *self.ends):
            end.close()


def python(program, *arguments):
    return [sys.executable, "-c", program, *map(str, arguments)]


class AtTerminal:
    """A program whose stderr is a terminal. `screen` grows with what it writes there."""

    def __init__(self, command, **more):
        self.master, slave = pty.openpty()
        self.screen = ""
        self.process = subprocess.Popen(command, env=environment(TERM="xterm", **more), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=slave, text=True)
        os.close(slave)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        try:
            while piece := os.read(self.master, 4096):
                self.screen += piece.decode()
        except OSError:  # the last of them has closed it
            pass

    def finish(self):
        out, _ = self.process.communicate(timeout=200)
        self.reader.join(20)
        os.close(self.master)
        return self.process.returncode, out, self.screen


def in_log(command, **more):
    done = subprocess.run(command, env=environment(TERM="xterm", **more), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=200)
    return done.returncode, done.stdout, done.stderr


class Progress(WithWorker):
    client = BUILD / "lib/libamdhip64.so.7"

    def lines(self, screen):
        """What was drawn; each begins with ERASE and ends with a return to its beginning, and at the end none is left."""
        self.assertTrue(screen.startswith(ERASE + "[hip-remote] "), repr(screen))
        drawn = [line for line in screen.split(ERASE) if line.startswith("[hip-remote] ") and line.endswith("\r")]
        self.assertTrue(drawn, repr(screen))
        for line in drawn:
            self.assertNotIn("\n", line)
            self.assertLess(len(line), 81)
        self.assertIn(ERASE, screen[screen.rindex(drawn[-1]) + len(drawn[-1]):][:len(ERASE)], repr(screen))
        return "\n".join(line.rstrip("\r") for line in drawn)

    def test_data_and_code(self):
        relay = SlowRelay(self.address)
        with tempfile.TemporaryDirectory() as folder:
            padding, code = Path(folder) / "padding", Path(folder) / "large.co"
            padding.write_bytes(os.urandom(40 * MIB))
            objcopy = shutil.which("llvm-objcopy-19") or shutil.which("llvm-objcopy") or "objcopy"
            subprocess.run([objcopy, f"--add-section=.padding={padding}", BUILD / "conformance/modules/scale.elf", code], check=True)
            command = python(MOVE, self.client, code)
            more = dict(TF_WORKER_HOST=relay.address, HIP_REMOTE_TRANSPORT="tcp", HIP_REMOTE_DATA_CACHE="off")
            code, out, screen = AtTerminal(command, **more).finish()
            self.assertEqual((code, out), (0, "x" * 99 + "\n"), screen)
            drawn = self.lines(screen)
            self.assertRegex(drawn, r"data to 127\.0\.0\.1:\d+: \d+ of 64 MiB, [0-9.]+ MiB/s, \d+ s left")
            self.assertRegex(drawn, r"code to 127\.0\.0\.1:\d+: \d+ of 4\d MiB")
            self.assertEqual(in_log(command, **more), (0, "x" * 99 + "\n", ""))
        relay.close()

    def test_connecting(self):
        with socket.socket() as listener:  # a full queue of connections that nobody accepts: further ones are dropped
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            waiting = [socket.socket() for _ in range(4)]
            for connection in waiting:
                connection.setblocking(False)
                connection.connect_ex(listener.getsockname())
            address = "127.0.0.1:%d" % listener.getsockname()[1]
            command, more = python(COUNT, self.client), dict(TF_WORKER_HOST=address, TF_CONNECT_TIMEOUT="3")
            code, _, screen = AtTerminal(command, **more).finish()
            self.assertNotEqual(code, 0)
            self.assertRegex(self.lines(screen), rf"connecting to {address} \(\d s\)")
            for code, _, said in (in_log(command, **more), AtTerminal(command, HIP_REMOTE_PROGRESS="0", **more).finish()):
                self.assertNotEqual(code, 0)
                self.assertNotIn("\x1b", said)
                self.assertNotIn("connecting to", said)
                self.assertIn(address, said)  # the failure itself
            for connection in waiting:
                connection.close()

    def test_waiting_for_room(self):
        worker = subprocess.Popen([BUILD / "bin/hip-worker", "--runtime", "softgpu", "-p", "0", "--grace", "1", "--cache", "",
                                   "--max-sessions", "1"], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in worker.stdout:
            if found := re.search(r"Listening on port (\d+)", line):
                break
        threading.Thread(target=worker.stdout.read, daemon=True).start()
        more = dict(TF_WORKER_HOST=f"127.0.0.1:{found[1]}")
        holder = subprocess.Popen(python(HOLD, self.client), env=environment(**more), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True)
        self.assertEqual(holder.stdout.readline(), "1\n")
        try:
            self.assertIn("as many clients as it may", in_log(python(COUNT, self.client), **more)[2])
            seen = AtTerminal(python(COUNT, self.client), HIP_REMOTE_WAIT="150", **more)
            end = time.monotonic() + 60
            while "waiting for room" not in seen.screen and time.monotonic() < end:
                time.sleep(0.05)
            self.assertIsNone(seen.process.poll(), seen.screen)
            holder.communicate()
            code, out, screen = seen.finish()
            self.assertEqual((code, out), (0, "1\n"), screen)
            self.assertRegex(self.lines(screen), rf"waiting for room at 127\.0\.0\.1:{found[1]} \(\d+ s\)")
        finally:
            holder.kill()
            holder.wait()
            worker.terminate()
            worker.wait(20)

    def test_compiling(self):
        command, more = python(COMPILE, BUILD / "lib/libhiprtc.so.7"), dict(TF_WORKER_HOST=self.address, HIP_REMOTE_RTC_CACHE="0")
        code, out, screen = AtTerminal(command, **more).finish()
        if "no compiler" in screen:
            self.skipTest("AMD's libhiprtc is not installed")
        self.assertEqual((code, out), (0, "0\n"), screen)
        self.assertRegex(self.lines(screen), r"compiling slow\.hip \(\d+ s\)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
