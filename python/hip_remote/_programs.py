"""The commands of the package: each becomes the program of its name."""
import os
import sys
from pathlib import Path


def _become(name):
    program = str(Path(__file__).resolve().parent / "bin" / name)
    os.execv(program, [program, *sys.argv[1:]])


def hip_remote():
    _become("hip-remote")


def smi_remote():
    _become("smi-remote")


def hip_worker():
    _become("hip-worker")
