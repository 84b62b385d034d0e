"""HIP programs on a GPU that is somewhere else.

    import hip_remote
    hip_remote.connect("gpu-box")           # before the framework is imported
    import cupy

    with hip_remote.worker(runtime="softgpu"):   # for tests: a worker of one's own, without any GPU
        ...

The commands hip-remote, smi-remote and hip-worker come with the package; `hip-remote run python script.py` needs no change
of the script.
"""
import collections
import contextlib
import ctypes
import os
import re
import subprocess
import threading
from pathlib import Path

__all__ = ["Error", "connect", "softgpu", "worker"]

_ROOT = Path(__file__).resolve().parent
_LIBRARIES = _ROOT / "lib/hip-remote"
_STANDINS = ("rocm_smi/librocm_smi64.so.1", "rocm_smi_7/librocm_smi64.so.7", "roctracer/libroctracer64.so.4",
             "rocprofiler_sdk/librocprofiler-sdk.so.1", "sysdeps_drm/librocm_sysdeps_drm.so.2",
             "sysdeps_drm_amdgpu/librocm_sysdeps_drm_amdgpu.so.1", "sysdeps_numa/librocm_sysdeps_numa.so.1")


class Error(RuntimeError):
    pass


def connect(address=None, token_file=None):
    """From here on, whatever this process loads as libamdhip64 uses the worker at HOST or HOST:PORT.

    Without an address the worker is TF_WORKER_HOST and TF_WORKER_PORT. The connection itself is made by the first HIP call.
    """
    if address:
        os.environ["TF_WORKER_HOST"] = str(address)
    if token_file:
        os.environ["HIP_REMOTE_TOKEN_FILE"] = str(token_file)
    _use(_LIBRARIES)


def softgpu():
    """From here on, whatever this process loads as libamdhip64 executes on this machine's CPU, without a worker."""
    os.environ["HIP_REMOTE_TARGET"] = "softgpu"
    _use(_LIBRARIES / "softgpu")


@contextlib.contextmanager
def worker(runtime="auto", *options):
    """A hip-worker on a free port of this machine for the length of the block, and connect() to it; gives its address."""
    command = [str(_ROOT / "bin/hip-worker"), "--port", "0", "--runtime", runtime, "--grace", "1", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                               errors="replace")
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"Listening on port (\d+)", line):
                break
        else:
            process.stdout.close()
            raise Error("hip-worker did not start:\n" + "".join(said))
        threading.Thread(target=_drain, args=(process.stdout,), daemon=True).start()
        address = f"127.0.0.1:{found[1]}"
        connect(address)
        yield address
    finally:
        process.terminate()
        process.wait()


def _drain(pipe):
    """Reads what nobody wants to know: a full pipe would stop whoever writes to it."""
    with pipe:
        collections.deque(pipe, maxlen=0)


def _use(folder):
    """A library of a name is loaded once: those that are loaded here are what later ones find."""
    foreign = [path for path in _loaded_hip() if Path(path).parent != folder]
    if foreign:
        raise Error(f"{foreign[0]} is loaded already; call this before importing what uses HIP")
    before = os.environ.get("LD_LIBRARY_PATH")
    if not before or before.split(":")[0] != str(folder):  # for programs that this one starts
        os.environ["LD_LIBRARY_PATH"] = f"{folder}:{before}" if before else str(folder)
    for library in sorted(folder.glob("lib*.so.*")):
        ctypes.CDLL(str(library))
    for standin in _STANDINS:  # what frameworks want besides HIP
        try:
            ctypes.CDLL(Path(standin).name)
        except OSError:  # the system has none
            ctypes.CDLL(str(_LIBRARIES / "standins" / standin))


def _loaded_hip():
    with open("/proc/self/maps") as maps:
        return {line.split(maxsplit=5)[5].strip() for line in maps if "/libamdhip64" in line}
