#!/usr/bin/env python3
"""What `hip-remote run` gives a program besides HIP on a machine without AMD's driver: libraries, commands, the driver's files.

  surroundings_test.py BUILD_DIR
"""
import ctypes.util
import errno
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from with_worker import BUILD, MEMORY, WithWorker, environment

NOBODY = 65534

# What a program sees, in one line of JSON.
LOOK = """
import ctypes, glob, json, os, subprocess
seen = {"classes": sorted(os.listdir("/sys/class")), "nodes": {}}
for file in glob.glob("/sys/class/kfd/kfd/topology/nodes/*/properties"):
    seen["nodes"][file.split("/")[-2]] = dict(line.split() for line in open(file))
seen["links"] = all(os.path.exists(link) for link in glob.glob("/sys/class/net/*"))

def library(name):
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None

def command(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout
    except OSError:
        return None

smi = library("librocm_smi64.so.1")
if smi:
    number, size, text, pci = ctypes.c_uint32(), ctypes.c_uint64(), ctypes.create_string_buffer(64), ctypes.c_uint64()
    seen["before"] = smi.rsmi_num_monitor_devices(ctypes.byref(number))
    seen["init"] = smi.rsmi_init(ctypes.c_uint64(0))
    seen["count"] = (smi.rsmi_num_monitor_devices(ctypes.byref(number)), number.value)
    seen["memory"] = (smi.rsmi_dev_memory_total_get(0, 0, ctypes.byref(size)), size.value)
    seen["name"] = (smi.rsmi_dev_name_get(0, text, ctypes.c_size_t(64)), text.value.decode())
    seen["short"] = (smi.rsmi_dev_name_get(0, text, ctypes.c_size_t(4)), text.value.decode())
    seen["pci"] = smi.rsmi_dev_pci_id_get(0, ctypes.byref(pci))
    seen["beyond"] = smi.rsmi_dev_memory_total_get(9, 0, ctypes.byref(size))
    seen["refused"] = smi.rsmi_dev_gpu_reset(0)
    seen["end"] = smi.rsmi_shut_down()
profiler = library("librocprofiler-sdk.so.1")
if profiler:
    profiler.rocprofiler_get_status_string.restype = ctypes.c_char_p
    code = profiler.rocprofiler_force_configure(None)
    seen["profiler"] = (code, profiler.rocprofiler_get_status_string(code).decode())
seen["tracer"] = library("libroctracer64.so.4") is not None
names = ("drm.so.2", "drm_amdgpu.so.1", "numa.so.1")
drm, amdgpu, numa = (library("librocm_sysdeps_" + name) for name in names)
if drm and amdgpu and numa:
    seen["sysdeps"] = (drm.drmIoctl(0, 0, 0), amdgpu.amdgpu_device_initialize(0, 0, 0, 0), numa.numa_available(), numa.numa_max_node())
seen["agents"] = command("rocm_agent_enumerator")
seen["rocminfo"] = command("rocminfo")
print(json.dumps(seen))
"""

# Runs a command with a plain folder as its root, in which everything is where it was; others must not see what is mounted there.
IN_A_CHROOT = """
set -e
root=$1
shift
for folder in /*; do
  if [[ -L $folder ]]; then cp -P "$folder" "$root"; elif [[ -d $folder ]]; then mkdir "$root$folder" && mount --rbind "$folder" "$root$folder"; fi
done
mount --make-shared "$root/sys"
chroot "$root" "$@"
[[ ! -e $root/sys/class/kfd ]]
"""


def has_driver():
    return os.path.exists("/dev/kfd") or os.path.exists("/sys/class/kfd")


class Surroundings(WithWorker):
    def look(self, *options, python=sys.executable, within=(), **how):
        done = subprocess.run([*within, BUILD / "bin/hip-remote", "run", *options, python, "-c", LOOK], env=environment(),
                              capture_output=True, text=True, timeout=120, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def check_libraries(self, seen):
        if ctypes.util.find_library("rocm_smi64") or ctypes.util.find_library("rocprofiler-sdk"):
            return  # the machine's own are left as they are, and without a driver know nothing
        self.assertEqual(seen["before"], 8)
        self.assertEqual((seen["init"], seen["count"], seen["end"]), (0, [0, 1], 0))
        self.assertEqual(seen["memory"], [0, MEMORY << 20])
        self.assertEqual(seen["name"][0], 0)
        self.assertEqual(seen["short"], [11, seen["name"][1][:3]])
        self.assertEqual((seen["pci"], seen["beyond"], seen["refused"]), (0, 1, 2))
        self.assertEqual(seen["profiler"][0], 16)
        self.assertIn("no profiler", seen["profiler"][1])
        self.assertTrue(seen["tracer"])
        self.assertEqual(seen["sysdeps"], [-1, -errno.ENODEV, -1, 0])

    def check_driver(self, seen):
        self.assertEqual(set(seen["nodes"]), {"0", "1"})
        self.assertEqual(seen["nodes"]["0"]["simd_count"], "0")
        self.assertEqual(seen["nodes"]["1"]["gfx_target_version"], "90010")
        self.assertGreater(int(seen["nodes"]["1"]["simd_count"]), 0)
        # Nothing else has gone, and nobody else sees it.
        self.assertEqual(seen["classes"], sorted([*os.listdir("/sys/class"), "kfd"]))
        self.assertTrue(seen["links"])
        self.assertFalse(os.path.exists("/sys/class/kfd"))

    @unittest.skipIf(has_driver(), "AMD's driver is here: nothing has to stand in for it")
    def test_through_a_worker(self):
        seen, said = self.look("--worker", self.address)
        self.check_libraries(seen)
        self.assertEqual(seen["agents"], "gfx90a\n")
        self.assertIn("amdgcn-amd-amdhsa--gfx90a", seen["rocminfo"])
        if "no /sys/class/kfd" not in said:
            self.check_driver(seen)
        else:
            self.assertEqual(seen["nodes"], {})
            self.assertIn("JAX", said)

    @unittest.skipIf(has_driver(), "AMD's driver is here: nothing has to stand in for it")
    def test_on_the_software_gpu(self):
        seen, _ = self.look("--softgpu")
        self.check_libraries(seen)
        self.assertEqual(seen["agents"], "gfx90a\n")

    @unittest.skipIf(has_driver() or os.geteuid() != 0, "only root can become somebody else")
    def test_for_somebody_who_is_not_root(self):
        with tempfile.TemporaryDirectory() as home:
            os.chown(home, NOBODY, NOBODY)
            python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
            try:
                subprocess.run([python, "-c", ""], user=NOBODY, group=NOBODY, extra_groups=[], check=True)
                subprocess.run([BUILD / "bin/hip-remote", "--version"], user=NOBODY, check=True, stdout=subprocess.DEVNULL)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("this Python or the build tree is not for everybody")
            seen, said = self.look("--worker", self.address, python=python, user=NOBODY, group=NOBODY, extra_groups=[], cwd=home)
        if "no /sys/class/kfd" not in said:
            self.check_driver(seen)

    @unittest.skipIf(has_driver() or os.geteuid() != 0, "only root can change the root folder")
    def test_in_a_chroot(self):
        with tempfile.TemporaryDirectory() as root:
            # Where nothing is mounted at / this is a chroot already.
            already = all(line.split()[4] != "/" for line in Path("/proc/self/mountinfo").read_text().splitlines())
            within = () if already else ("unshare", "--mount", "bash", "-c", IN_A_CHROOT, "bash", root)
            seen, said = self.look("--worker", self.address, within=within)
        self.assertNotIn("no /sys/class/kfd", said)
        self.check_driver(seen)

    def test_plain(self):
        seen, _ = self.look("--plain", "--worker", self.address)
        self.assertEqual(seen["classes"], sorted(os.listdir("/sys/class")))
        if not has_driver():
            self.assertEqual(seen["nodes"], {})

    def test_without_a_worker_the_program_starts(self):
        seen, _ = self.look("--worker", "127.0.0.1:1")
        self.assertNotIn("kfd", set(seen["classes"]) - set(os.listdir("/sys/class")))


if __name__ == "__main__":
    unittest.main()
