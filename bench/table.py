#!/usr/bin/env python3
"""Makes the tables of docs/performance.md from the numbers of hip-remote-bench.

    bench/table.py NUMBERS.json                            prints them
    bench/table.py NUMBERS.json --into docs/performance.md [--title TEXT]
                                                           replaces what stands between the two markers there
"""
import argparse
import json
import re

BEGIN, END = "<!-- numbers: bench/table.py -->", "<!-- end of numbers -->"


def time_text(seconds):
    for scale, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms"), (1, "s")):
        if seconds * scale < 1000 or unit == "s":
            value = seconds * scale
            digits = 0 if value >= 100 else 1 if value >= 10 else 2
            return f"{value:.{digits}f} {unit}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def times_table(lines):
    yield row(["line", "direct", "remoted (fastest)", "at most", "that is", ""])
    yield row(["---", "--:", "--:", "---", "--:", "---"])
    for line in lines:
        targets = [t for t in line["targets"] if t["quantity"] != "roundTrips"] or [None]
        for i, target in enumerate(targets):
            of_processor = target is not None and target["quantity"] == "processorTime"
            field = "processorTime" if of_processor else "median"
            direct, remoted = (time_text(line[side][field]) for side in ("direct", "remoted"))
            fastest = "" if of_processor else f" ({time_text(line['remoted']['minimum'])})"
            measured = [line["what"], direct, remoted + fastest] if i == 0 else ["", "", ""]
            judged = [target["limit"], time_text(target["allowed"]), target["verdict"]] if target else ["", "", ""]
            yield row(measured + judged)


def counts_table(lines):
    yield row(["per operation", "round trips", "at most", "messages", "wake-ups, direct", "wake-ups, remoted",
               "processor time, remoted / direct"])
    yield row(["---", "--:", "--:", "--:", "--:", "--:", "--:"])
    for line in lines:
        direct, remoted = line["direct"], line["remoted"]
        limit = next((f"{t['allowed']:g}" + ("" if t["met"] else ", missed") for t in line["targets"]
                      if t["quantity"] == "roundTrips"), "")
        ratio = ""
        if direct.get("processorTime", 0) > 10e-6:  # beside an operation that costs nothing everything is dear
            ratio = f"{remoted['processorTime'] / direct['processorTime']:.2f}"
        yield row([line["what"], f"{remoted['roundTrips']:.2f}", limit, f"{remoted['messages']:.2f}",
                   f"{direct['wakeUps']:.2f}", f"{remoted['wakeUps']:.2f}", ratio])


def raw_table(lines):
    """Each raw exchange as it was when the first line needed it; the limits use the one taken next to their line."""
    yield row(["raw socket", "median", "fastest"])
    yield row(["---", "--:", "--:"])
    seen = set()
    for line in lines:
        for key, raw in line["raw"].items():
            if key not in seen:
                seen.add(key)
                yield row([raw["what"], time_text(raw["median"]), time_text(raw["minimum"])])


def rows_table(rows):
    yield row(["", "value", "target", ""])
    yield row(["---", "--:", "---", "---"])
    for entry in rows:
        verdict = "" if "met" not in entry else "met" if entry["met"] else "missed"
        section = entry["section"].partition(" (")[0]
        yield row([f"{section}: {entry['what']}", f"{entry['value']:.3g} {entry['unit']}".strip(),
                   entry.get("target", ""), verdict])


def tables(numbers, title):
    machine = numbers["machine"]
    targets = [t for line in numbers["lines"] for t in line["targets"]]
    parts = [
        [f"**{title}**" if title else "",
         f"{machine['processors']} processors ({machine['model']}), Linux {'.'.join(machine['kernel'].split('.')[:2])}, load {machine['load']:.1f} at the "
         f"start; worker and client on the same machine, over loopback TCP. "
         f"{sum(t['met'] for t in targets)} of {len(targets)} targets of these lines are met."],
        times_table(numbers["lines"]), raw_table(numbers["lines"]), counts_table(numbers["lines"]),
    ]
    if numbers.get("rows"):
        parts.append(rows_table(numbers["rows"]))
    return "\n\n".join("\n".join(part).strip() for part in parts)


def main():
    parser = argparse.ArgumentParser(description="Tables of hip-remote-bench's numbers.")
    parser.add_argument("numbers")
    parser.add_argument("--into")
    parser.add_argument("--title", default="")
    options = parser.parse_args()
    with open(options.numbers) as file:
        text = tables(json.load(file), options.title)
    if not options.into:
        print(text)
        return
    with open(options.into) as file:
        document = file.read()
    between = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if not between.search(document):
        raise SystemExit(f"{options.into} has no line {BEGIN}")
    with open(options.into, "w") as file:
        file.write(between.sub(lambda _: f"{BEGIN}\n{text}\n{END}", document))


if __name__ == "__main__":
    main()
