#!/usr/bin/python3
"""Stands in for vector: sends every line of the files that its configuration names to where it says. Nothing else of it."""
import glob
import time
import urllib.request

import yaml

with open("/etc/vector/vector.yaml") as file:
    config = yaml.safe_load(file)
patterns = config["sources"]["metrics"]["include"]
sink = next(sink for sink in config["sinks"].values() if sink["type"] == "http" and "metrics" in sink["inputs"])
read = {}
print("reading", patterns, "sending to", sink["uri"], flush=True)
while True:
    for path in sorted({path for pattern in patterns for path in glob.glob(pattern)}):
        with open(path, "rb") as file:
            file.seek(read.get(path, 0))
            text = file.read()
        whole = text[:text.rfind(b"\n") + 1]
        if whole:
            try:
                urllib.request.urlopen(urllib.request.Request(sink["uri"], whole, method="POST"), timeout=10).close()
                read[path] = read.get(path, 0) + len(whole)
            except OSError as error:
                print(error, flush=True)
    time.sleep(1)
