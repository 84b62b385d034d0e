#!/usr/bin/env python3
"""Every row of api/hip that is carried to a worker is called by a conformance program: one of tests/conformance or
tests/abi, which run directly and through a worker and whose results are compared.

  every_row.py SOURCE_DIR [--leave-out PROGRAM]     as if PROGRAM, a file name, were not there

A name counts where code uses it, or where it is looked up by find, LATER or symbol; a declaration, a comment and any
other text do not.
"""
import argparse
import re
import sys
from pathlib import Path

# Rows that no source can name: (row, what stands for it in a program, why).
STANDS_FOR = [
    ("__hipRegisterVar", "__device__", "compilers register variables before main; HIP_SYMBOL finds none otherwise"),
    ("__hipRegisterManagedVar", "__managed__", "likewise; the variable has no memory otherwise"),
]

parser = argparse.ArgumentParser()
parser.add_argument("source", type=Path)
parser.add_argument("--leave-out", default="")
arguments = parser.parse_args()

NAME = r"(?:__)?(?:hip|amd_dbgapi|gnu)\w+"


def carried_rows():
    rows = set()
    for file in sorted((arguments.source / "api/hip").glob("*.def")):
        for name, rest in re.findall(r"^HIP_API(?:_SPT|_CXX)?\((\w+),(.*)\)", file.read_text(), flags=re.M):
            if rest.split(",")[-2].strip() not in ("Todo", "Direct"):
                rows.add(name)
    return rows


def names_used(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    looked_up = re.findall(rf'(?:LATER\(|symbol\(|find<[^;]*?>\(|\bspt\(\w+,)\s*"({NAME})"', text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    # Prototypes begin in the first column, and nothing else does.
    text = re.sub(rf'^(?:extern "" )?[A-Za-z_][\w:* ]*?[ *]{NAME}\(', "", text, flags=re.M)
    return set(looked_up) | set(re.findall(r"\w+", text))


used = set()
programs = 0
for pattern in ("conformance/**/*.hip", "conformance/*.h", "abi/*.cpp", "abi/*.h"):
    for file in sorted((arguments.source / "tests").glob(pattern)):
        if file.name != arguments.leave_out:
            used |= names_used(file.read_text())
            programs += file.suffix != ".h"

rows = carried_rows()
missing = sorted(rows - used)
for row, stand_in, why in STANDS_FOR:
    if row in missing and stand_in in used:
        missing.remove(row)
    else:
        missing.append(f"{row}, for which {stand_in} should stand ({why}),")
for row in missing:
    print(f"{row} is called by no conformance program")
print(f"{len(rows)} carried rows, {programs} programs, {len(missing)} rows without a test")
sys.exit(1 if missing or len(rows) < 500 else 0)
