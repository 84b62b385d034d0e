#!/usr/bin/env python3
"""Every relative link of our documents leads somewhere, to the heading if it names one; the README fits on some screens.

  links.py SOURCE_DIR
"""
import re
import subprocess
import sys
from pathlib import Path

root = Path(sys.argv[1]).resolve()
files = subprocess.run(["git", "-C", root, "ls-files", "*.md"], check=True, capture_output=True, text=True).stdout.split()
problems = []


def prose(path):
    """Without what stands between fences."""
    return re.sub(r"^( *)```.*?^\1```", "", path.read_text(), flags=re.S | re.M)


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path):
    return {anchor(heading) for heading in re.findall(r"^#+ +(.*)$", path.read_text(), flags=re.M)}


links = 0
for name in files:
    path = root / name
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if re.match(r"[a-z]+:", target):
            continue  # elsewhere; not looked at from here
        links += 1
        file, _, heading = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.exists():
            problems.append(f"{name}: {target} does not exist")
        elif heading and there.suffix == ".md" and heading not in anchors(there):
            problems.append(f"{name}: {target}: there is no such heading")
lines = len((root / "README.md").read_text().splitlines())
if lines > 150:
    problems.append(f"README.md has {lines} lines, which is more than 150")
if links < 30:
    problems.append(f"only {links} links were found: this test is broken")
print("\n".join(problems) or f"{links} links in {len(files)} files")
sys.exit(bool(problems))
