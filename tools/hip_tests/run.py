#!/usr/bin/env python3
"""Runs HIP's own unit tests (hip-tests, catch2) case by case and counts.

    run.py run DIR --record FILE [--only REGEX] [--disabled CONFIG] [--enter 'chroot ROOT'] [--limit 30] [--jobs 2]
                   [--give GROUP='ARGUMENTS'] [--each VARIABLE=VALUE,VALUE] [--no-images SOURCES]
    run.py show FILE [FILE ...]

`run` takes every executable under DIR (its folder is its group) and runs each case in a process of its own; which library they load is the
caller's environment. `show` prints counts per group of one or more records side by side, and each case that did not pass in all of them.
docs/hip-tests.md tells how the tests are built."""

import argparse
import concurrent.futures
import json
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import time

KINDS = ["passed", "failed", "timeout", "skipped", "disabled"]


def disabled_cases(config, arch):
    """The names AMD's configuration (a file for the C preprocessor) disables on `arch`. `*` stands for anything, and any part of a name will do."""
    text = subprocess.run(["cpp", "-P", "-undef", f"-D{arch}", '-DGITHASH=""', config], capture_output=True, text=True, check=True).stdout
    names = re.findall(r'"((?:Unit|Performance|Stress|ABM)_[^"]*)"', text)
    return [re.compile(".*".join(map(re.escape, name.split("*"))) + "$") for name in names]


def cases_of_images(sources):
    """The names of cases that, before they check anything, return where a device has no images: Catch calls those passed."""
    names = set()
    for path, _, files in os.walk(sources):
        for name in files:
            if not name.endswith((".cc", ".cpp")):
                continue
            with open(os.path.join(path, name), errors="replace") as file:
                for case in re.split(r"TEST_CASE(?:_SIG)?\(\s*", file.read())[1:]:
                    found = re.match(r'"([^"]+)"', case)
                    before, asked, _ = case.partition("CHECK_IMAGE_SUPPORT")
                    if found and asked and not re.search(r"HIP_CHECK|REQUIRE|HIPCHECK", before):
                        names.add(found[1])
    return names


def executables(folder):
    for path, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            full = os.path.join(path, name)
            if os.access(full, os.X_OK) and "." not in name:
                yield os.path.basename(path), full


def cases_of(command, cwd, environment):
    """Its cases; none of a program that only helps one of them. Some ask for devices before they list anything."""
    told = {"capture_output": True, "text": True, "cwd": cwd, "env": environment, "timeout": 60}
    asked = subprocess.run(command + ["--libidentify"], **told)
    if "Catch" in asked.stderr and "Catch" not in asked.stdout:
        sys.exit(f"{command[-1]} cannot list its cases: {asked.stderr}")
    if "Catch" not in asked.stdout:
        return []
    listing = subprocess.run(command + ["--list-test-names-only"], **told).stdout
    return [line.strip() for line in listing.splitlines() if line.strip()]


def pattern_for(name):
    """A case's name as Catch reads it: commas and brackets mean something to it."""
    return re.sub(r"([,\[\]\\*])", r"\\\1", name)


def run_case(command, name, limit, cwd, environment):
    begin = time.time()
    process = subprocess.Popen(command + [pattern_for(name)], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", cwd=cwd, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit)
        code = process.returncode
        if "HIP_SKIP_THIS_TEST" in output:  # whatever comes after, as the suite's own ctest has it
            kind = "skipped"
        else:
            kind = "passed" if code == 0 and "No test cases matched" not in output else "failed"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        kind, code = "skipped" if "HIP_SKIP_THIS_TEST" in output else "timeout", None  # a skipped case may leave children behind
    return {"kind": kind, "code": code, "seconds": round(time.time() - begin, 2), "output": "" if kind == "passed" else output[-6000:]}


def environments(jobs, each):
    """One for each job at a time, so that jobs need not share what `each` names: a worker, say."""
    variable, _, values = each.partition("=")
    values = values.split(",") if variable else []
    free = queue.Queue()
    for number in range(jobs):
        free.put(dict(os.environ, **({variable: values[number % len(values)]} if values else {})))
    return free


def run(options):
    enter = shlex.split(options.enter)
    disabled = disabled_cases(options.disabled, options.arch) if options.disabled else []
    record = json.load(open(options.record)) if os.path.exists(options.record) else {}
    given = dict(pair.split("=", 1) for pair in options.give)
    free = environments(options.jobs, options.each)
    images = cases_of_images(options.no_images) if options.no_images else set()
    work = []
    for group, path in executables(options.folder):
        seen = os.path.join(options.seen_as, os.path.relpath(path, options.folder)) if options.seen_as else os.path.abspath(path)
        command = enter + ["env", "-C", os.path.dirname(seen), seen] if enter else [seen]
        cwd = None if enter else os.path.dirname(seen)
        names = cases_of(command, cwd, next(iter(free.queue)))
        command = command + shlex.split(given.get(group, ""))
        for name in names:
            if re.search(options.only, f"{group}/{name}"):
                work.append((group, name, command, cwd))
    def one(job):
        group, name, command, cwd = job
        if any(p.match(name) for p in disabled):
            return job, {"kind": "disabled", "code": None, "seconds": 0, "output": ""}
        environment = free.get()
        try:
            result = run_case(command, name, options.limit, cwd, environment)
            if result["kind"] == "passed" and {name, name.rpartition(" - ")[0]} & images:
                result["kind"] = "skipped"
            return job, result
        finally:
            free.put(environment)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (job, result) in enumerate(pool.map(one, work), 1):
            record.setdefault(job[0], {})[job[1]] = result
            if result["kind"] in ("failed", "timeout"):
                print(f"{result['kind']:8} {job[0]}/{job[1]} (code {result['code']}, {result['seconds']} s)", flush=True)
            if number % 50 == 0 or number == len(work):
                with open(options.record, "w") as file:
                    json.dump(record, file, indent=0)
    show(argparse.Namespace(records=[options.record], quiet=True))


def show(options):
    records = [json.load(open(name)) for name in options.records]
    groups = sorted(set().union(*records))
    print("| group | cases | " + " | ".join(f"{os.path.basename(n).removesuffix('.json')}: pass, fail, time" for n in options.records) + " | skipped | disabled |")
    print("|---" * (len(records) + 4) + "|")
    total = [{kind: 0 for kind in KINDS} for _ in records]
    for group in groups:
        counts = [{kind: 0 for kind in KINDS} for _ in records]
        for count, all_, record in zip(counts, total, records):
            for result in record.get(group, {}).values():
                count[result["kind"]] += 1
                all_[result["kind"]] += 1
        print(f"| {group} | " + line(counts))
    print("| **all** | " + line(total))
    for name, count in zip(options.records, total):
        judged = count["passed"] + count["failed"]
        print(f"{name}: {100 * count['passed'] / max(judged, 1):.2f} % of {judged} judged cases pass")
    if not options.quiet:
        for group in groups:
            for case in sorted(set().union(*(r.get(group, {}) for r in records))):
                kinds = [r.get(group, {}).get(case, {"kind": "absent"})["kind"] for r in records]
                if "failed" in kinds or "timeout" in kinds:
                    print(f"{group}/{case}: {', '.join(kinds)}")


def line(counts):
    parts = [str(sum(counts[0].values()))]
    parts += [f"{c['passed']}, {c['failed']}, {c['timeout']}" for c in counts]
    parts += ["/".join(str(c["skipped"]) for c in counts), str(counts[0]["disabled"])]
    return " | ".join(parts) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    go = commands.add_parser("run")
    go.add_argument("folder")
    go.add_argument("--record", required=True)
    go.add_argument("--only", default="", help="regular expression over GROUP/CASE")
    go.add_argument("--disabled", help="hip-tests' config_amd_linux")
    go.add_argument("--arch", default="gfx90a")
    go.add_argument("--enter", default="", help="command that precedes the executables, such as chroot")
    go.add_argument("--seen-as", default="", help="what the folder is called behind --enter")
    go.add_argument("--limit", type=float, default=30)
    go.add_argument("--jobs", type=int, default=2)
    go.add_argument("--give", action="append", default=[], metavar="GROUP=ARGUMENTS", help="more arguments for the programs of a group")
    go.add_argument("--each", default="", metavar="VARIABLE=VALUES", help="a variable of the environment that has one of these values for each job")
    go.add_argument("--no-images", default="", metavar="SOURCES", help="hip-tests' catch/unit: what asks for images first has not passed")
    go.set_defaults(action=run)
    out = commands.add_parser("show")
    out.add_argument("records", nargs="+")
    out.add_argument("--quiet", action="store_true")
    out.set_defaults(action=show)
    options = parser.parse_args()
    options.action(options)


if __name__ == "__main__":
    sys.exit(main())
