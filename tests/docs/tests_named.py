#!/usr/bin/env python3
"""Every test that docs/security.md names as `Suite.Name` exists.

  tests_named.py SOURCE_DIR
"""
import re
import subprocess
import sys
from pathlib import Path

root = Path(sys.argv[1]).resolve()
sources = subprocess.run(
    ["git", "-C", root, "ls-files", "*_test.cpp"], check=True, capture_output=True, text=True
).stdout.split()
there = set()
for name in sources:
    for suite, test in re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", (root / name).read_text(), flags=re.M):
        there.add(f"{suite}.{test}")
named = re.findall(r"`(\w+\.\w+)`", "\n".join(
    line for line in (root / "docs/security.md").read_text().splitlines() if re.match(r"\| A\d+ ", line)))
missing = [name for name in named if name not in there]
for name in missing:
    print(f"docs/security.md: there is no test {name}")
items = re.findall(r"^\| A(\d+) ", (root / "docs/security.md").read_text(), flags=re.M)
if items != [str(i) for i in range(1, 15)]:
    print(f"docs/security.md: items {items} instead of 1 to 14")
    missing.append("items")
print(f"{len(named)} tests named, {len(missing)} problems")
sys.exit(1 if missing or len(named) < 14 else 0)
