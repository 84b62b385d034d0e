#!/usr/bin/env python3
"""Checks the numbers of one run of hip-remote-bench without judging times: every line is there with everything that is
to be known about it, and what is counted is within its limits.

    bench/check.py NUMBERS.json
"""
import json
import math
import sys

# Written down here once more, so that a line cannot vanish unnoticed.
COPIES = [f"{way}_{size}_{memory}" for way in ("up", "down") for size in ("256k", "1m", "256m")
          for memory in ("pageable", "pinned")]
LINES = ["local_device", "local_attribute", "local_stream_query", "launch_posted", "launch_posted_asleep", "event_cycle",
         "malloc_free", "mem_info", "launch_sync", "launch_sync_idle", "read_8", "read_8_idle", "launch64_read",
         "launch64_small_read", "upload_sync", "step", "graph_step", "graph", "graph_posted", "graph_working",
         "working_kernels", "many_waits", *COPIES]
RAW = {"ping_pong", "ping_pong_spinning", "up_256k", "up_1m", "down_256k", "down_1m", "up_256m", "down_256m"}
FIELDS = {"direct": ["median", "minimum", "wakeUps"],
          "remoted": ["median", "minimum", "wakeUps", "roundTrips", "messages", "bytesSent"]}


def known(value):
    return isinstance(value, (int, float)) and math.isfinite(value) and value >= 0


def faults_of(line):
    for side, fields in FIELDS.items():
        for field in fields:
            if not known(line.get(side, {}).get(field)):
                yield f"{side}.{field} is missing"
        if not line.get(side, {}).get("median"):
            yield f"{side} took no time"
    counted = [target for target in line["targets"] if target["quantity"] == "roundTrips"]
    if not counted:
        yield "round trips have no target"
    for target in counted:
        if target["value"] > target["allowed"]:
            yield f"{target['value']:g} round trips an operation, {target['allowed']:g} allowed"


def startup_faults(rows):
    trips = next((row for row in rows if row["what"] == "round trips"), None)
    if trips is None:
        yield "round trips are missing"
    elif not trips["met"]:
        yield f"{trips['value']:g} round trips, {trips['target']} allowed"


def main():
    with open(sys.argv[1]) as file:
        numbers = json.load(file)
    found = {line["key"]: line for line in numbers["lines"]}
    faults = {key: list(faults_of(found[key])) if key in found else ["the line is missing"] for key in LINES}
    for key in found.keys() - faults.keys():
        faults[key] = ["the line is not listed in bench/check.py"]
    lost = RAW - {key for line in found.values() for key in line["raw"]}
    faults["raw sockets"] = [f"{', '.join(sorted(lost))} not measured"] if lost else []
    faults["start-up"] = list(startup_faults(numbers.get("rows", [])))
    for name, problems in faults.items():
        for problem in problems:
            print(f"{name}: {problem}")
    failed = sum(1 for problems in faults.values() if problems)
    print(f"{len(faults) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
