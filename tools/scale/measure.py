#!/usr/bin/env python3
"""Counts what a worker's processes cost: processor time and memory, from /proc, so that a busy machine changes little.

    tools/scale/measure.py BUILD_DIR [--sessions 40]

A worker with softgpu is started on loopback and ended again. docs/scale.md has the numbers of one run.
"""
import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import time

CLIENT = """
import ctypes, sys
hip = ctypes.CDLL(sys.argv[1])
memory = ctypes.c_void_p()
assert hip.hipMalloc(ctypes.byref(memory), ctypes.c_size_t(4096)) == 0
print("ready", flush=True)
sys.stdin.readline()
"""


def cpu_ms(process):
    """Of all its threads, in milliseconds."""
    total = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat") as file:
            total += int(file.read().split()[0])
    return total / 1e6


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(child) for child in file.read().split()]


def memory_kib(process, field):
    with open(f"/proc/{process}/smaps_rollup") as file:
        return int(re.search(rf"^{field}: +(\d+)", file.read(), re.M).group(1))


def name_of(process):
    with open(f"/proc/{process}/comm") as file:
        return file.read().strip()


class Worker:
    def __init__(self, build):
        self.process = subprocess.Popen(
            [f"{build}/bin/hip-worker", "-p", "0", "--runtime", "softgpu", "--metrics", "0", "--max-sessions", "2000"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if "Metrics at" in line:
                self.metrics = int(re.search(r":(\d+)/", line).group(1))
            if "Listening on port" in line:
                self.port = int(line.split()[-1])
                break
        self.pid = self.process.pid

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def client(build, worker):
    environment = dict(os.environ, TF_WORKER_HOST="127.0.0.1", TF_WORKER_PORT=str(worker.port))
    return subprocess.Popen([sys.executable, "-c", CLIENT, f"{build}/lib/libamdhip64.so.7"], env=environment,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def sessions(build, worker, count):
    before, clients = cpu_ms(worker.pid), []
    for _ in range(count):
        clients.append(client(build, worker))
        assert clients[-1].stdout.readline() == "ready\n"
    per_start = (cpu_ms(worker.pid) - before) / count
    running = [child for child in children(worker.pid) if "-sess" in name_of(child)]
    assert len(running) == count, running
    print(f"start of a session: supervisor {per_start:.2f} ms, session until its first allocation "
          f"{sum(map(cpu_ms, running)) / count:.2f} ms of processor")
    for field in ("Rss", "Pss", "Private_Dirty"):
        print(f"  an idle session: {field} {sum(memory_kib(p, field) for p in running) / count / 1024:.1f} MiB")
    threads = sum(len(os.listdir(f"/proc/{p}/task")) for p in running) / count
    descriptors = len(os.listdir(f"/proc/{worker.pid}/fd"))
    print(f"  threads of an idle session: {threads:.1f}; descriptors of the supervisor: {descriptors}; "
          f"supervisor Pss {memory_kib(worker.pid, 'Pss') / 1024:.1f} MiB")
    idle = cpu_ms(worker.pid), sum(map(cpu_ms, running))
    time.sleep(20)
    print(f"20 s of {count} idle sessions (keepalive, watching): supervisor {cpu_ms(worker.pid) - idle[0]:.2f} ms, "
          f"all sessions {sum(map(cpu_ms, running)) - idle[1]:.2f} ms")
    for process in clients:
        process.stdin.close()
        process.wait()


def refusals(worker, count):
    before = cpu_ms(worker.pid)
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", worker.port)) as stranger:
            stranger.sendall(b"not a frame of ours......")
            while stranger.recv(4096):
                pass
    print(f"a connection that is heard and refused: {(cpu_ms(worker.pid) - before) / count:.3f} ms of the supervisor")


def scrapes(worker, count):
    def scrape():
        with socket.create_connection(("127.0.0.1", worker.metrics)) as scraper:
            scraper.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            size = 0
            while data := scraper.recv(65536):
                size += len(data)
            return size

    scrape()
    service = next(child for child in children(worker.pid) if "-sess" not in name_of(child))
    before = cpu_ms(service)
    size = [scrape() for _ in range(count)][-1]
    print(f"a read of the metrics page ({size} bytes): {(cpu_ms(service) - before) / count:.3f} ms of the service")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--sessions", type=int, default=40)
    options = parser.parse_args()
    worker = Worker(options.build)
    try:
        refusals(worker, 200)
        scrapes(worker, 100)
        sessions(options.build, worker, options.sessions)
    finally:
        worker.end()


if __name__ == "__main__":
    main()
