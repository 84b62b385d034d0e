# Runs AMD's amd-smi in this process on our libamd_smi: launcher PROGRAM LIBRARY ARGUMENT...
#
# amd-smi wants a loaded amdgpu driver on this machine before it asks the library anything, and each version looks for
# the library in places of its own. Here both questions get their answer, for this process only: the state file of the
# driver reads "live", and whatever path it opens libamd_smi from, it gets ours. The oldest also runs lscpu, to hide half
# of its output on a virtual machine; what kind this one is says nothing about the worker's GPUs, so it sees no lscpu.
import ctypes
import os
import pathlib
import runpy
import subprocess
import sys

program, library = sys.argv[1:3]
sys.argv = [program] + sys.argv[3:]

DRIVER_STATE = "/sys/module/amdgpu/initstate"
file_exists = pathlib.Path.exists
file_text = pathlib.Path.read_text
run_command = subprocess.run


def exists(path, *arguments, **options):
    return str(path) == DRIVER_STATE or file_exists(path, *arguments, **options)


def read_text(path, *arguments, **options):
    return "live\n" if str(path) == DRIVER_STATE else file_text(path, *arguments, **options)


def run(command, *arguments, **options):
    if command == ["lscpu"]:
        return subprocess.CompletedProcess(command, 0, stdout="")
    return run_command(command, *arguments, **options)


class Library(ctypes.CDLL):
    def __init__(self, name, *arguments, **options):
        ours = os.path.basename(str(name)).startswith("libamd_smi")
        super().__init__(library if ours else name, *arguments, **options)


pathlib.Path.exists = exists
pathlib.Path.read_text = read_text
subprocess.run = run
ctypes.CDLL = Library

# The Python package this program came with, before any other that is installed.
folder = os.path.dirname(program)
sys.path[0] = folder
package = os.path.normpath(os.path.join(folder, "../../share/amd_smi"))
if os.path.isdir(package):
    sys.path.insert(0, package)
runpy.run_path(program, run_name="__main__")
