# AMD's own amd-smi, whichever version is installed, tells the same of a worker's GPUs as smi-remote does.
# amd_smi.py HIP_REMOTE SMI_REMOTE; exits 77 when there is no amd-smi that we have a library for.
import json
import subprocess
import sys

hip_remote, smi_remote = sys.argv[1:]
NO_PROGRAM, SKIPPED = 3, 77
MARKS = {0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF}  # of values that are not there: amd-smi has to recognise them


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode == NO_PROGRAM:
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def amd_smi(*arguments):
    return run(hip_remote, "smi", "--", *arguments)


# Every value of that name, however deep: the names are the same in all versions of amd-smi, the nesting is not.
def values(tree, name):
    if isinstance(tree, list):
        return [found for branch in tree for found in values(branch, name)]
    if not isinstance(tree, dict):
        return []
    here = [tree[name]] if name in tree else []
    return here + [found for branch in tree.values() for found in values(branch, name)]


def numbers(tree, name):
    return [value["value"] if isinstance(value, dict) else value for value in values(tree, name)]


def leaves(tree):
    if isinstance(tree, (dict, list)):
        return [leaf for branch in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(branch)]
    return [tree]


def expect(what, found, wanted):
    print(what, found)
    if found != wanted:
        sys.exit(f"{what}: amd-smi says {found}, smi-remote {wanted}")


amd_smi("version")
shown = {}
for command in ("list", "static", "metric", "monitor", "process", "topology"):
    print(amd_smi(command))
    shown[command] = json.loads(amd_smi(command, "--json"))
    if MARKS & {leaf for leaf in leaves(shown[command]) if isinstance(leaf, int)}:
        sys.exit(f"{command} shows a number that means that there is none")

MIB = 1 << 20
info = values(json.loads(run(smi_remote, "--json", "info")), "gpus")[0]
readings = values(json.loads(run(smi_remote, "--json", "metrics")), "metrics")
processes = values(json.loads(run(smi_remote, "--json", "processes")), "processes")[0]
expect("addresses", values(shown["list"], "bdf"), [gpu["bdf"] for gpu in info])
expect("names", values(shown["static"], "market_name"), [gpu["name"] for gpu in info])
expect("sizes", numbers(values(shown["static"], "vram"), "size"), [gpu["memory_total_bytes"] // MIB for gpu in info])
expect("totals", numbers(shown["metric"], "total_vram"), [gpu["memory_total_bytes"] // MIB for gpu in info])
expect("used", numbers(shown["metric"], "used_vram"), [reading["memory_used_bytes"] // MIB for reading in readings])
expect("processes", values(shown["process"], "pid"), [process["pid"] for process in processes])
expect("their memory", numbers(shown["process"], "vram_mem"), [process["memory_bytes"] for process in processes])
if not processes or readings[0]["memory_used_bytes"] == 0:
    sys.exit("nothing was going on that could have been compared")
