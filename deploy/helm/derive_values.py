#!/usr/bin/env python3
"""Makes the values with which TensorFusion's chart manages AMD GPUs, from that chart's own values:

   helm show values CHART | deploy/helm/derive_values.py [OVERLAY] >amd.yaml

They are the overlay (values-amd.yaml beside this file) and the scheduler's configuration, which is the chart's, counting amd.com/gpu
where it counts nvidia.com/gpu. A chart that is not built as expected is refused, with a word about what is missing: what the
scheduler lacks nobody notices until pods wait for GPUs forever."""
import copy
import os
import sys

import yaml

# Where TensorFusion's plugin must take part for a pod to get a GPU: without preBind it is bound, and never told which.
POINTS = ("preEnqueue", "preFilter", "filter", "score", "postFilter", "reserve", "permit", "preBind", "postBind")
PROFILE, PLUGIN, NODES = "tensor-fusion-scheduler", "GPUResourcesFit", "NodeResourcesFit"
THEIRS, OURS = "nvidia.com/gpu", "amd.com/gpu"


def at(tree, path):
    for key in path.split("."):
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def named(items, name, key="name"):
    found = [item for item in items or [] if isinstance(item, dict) and item.get(key) == name]
    return found[0] if len(found) == 1 else None


def mentions(tree, text):
    if isinstance(tree, dict):
        return sum(mentions(part, text) for item in tree.items() for part in item)
    if isinstance(tree, list):
        return sum(mentions(part, text) for part in tree)
    return int(isinstance(tree, str) and text in tree)


def unread(overlay, chart, where=""):
    """Keys of the overlay that the chart does not have: Helm would take them without a word."""
    for key, value in overlay.items():
        path = f"{where}{key}"
        if not isinstance(chart, dict) or key not in chart:
            yield f"{path} is not a value of this chart"
        elif isinstance(value, dict):
            yield from unread(value, chart[key], path + ".")


def scheduler(chart, problems):
    """The chart's scheduler configuration for AMD."""
    config = copy.deepcopy(chart.get("schedulerConfig"))
    profile = named(at(config, "profiles"), PROFILE, "schedulerName")
    if profile is None:
        problems.append(f"schedulerConfig has no profile {PROFILE}")
        return config
    for point in POINTS:
        if named(at(profile, f"plugins.{point}.enabled"), PLUGIN) is None:
            problems.append(f"{PLUGIN} is not enabled at {point}")
    resources = at(named(profile.get("pluginConfig"), NODES), "args.scoringStrategy.resources")
    theirs = named(resources, THEIRS)
    if theirs is None:
        problems.append(f"{NODES} does not score {THEIRS}")
    elif mentions(config, "nvidia") != 1:
        problems.append("schedulerConfig speaks of NVIDIA in other places than the one we know")
    else:
        theirs["name"] = OURS
    return config


def derive(chart, overlay):
    """The values, and what stands against them."""
    problems = list(unread(overlay, chart))
    return {**overlay, "schedulerConfig": scheduler(chart, problems)}, problems


def main():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "values-amd.yaml")
    with open(sys.argv[1] if len(sys.argv) > 1 else beside) as file:
        overlay = yaml.safe_load(file)
    chart = yaml.safe_load(sys.stdin)
    if not isinstance(chart, dict):
        sys.exit("no values of a chart on the standard input")
    values, problems = derive(chart, overlay)
    if problems:
        sys.exit("TensorFusion's chart has changed, look at it before installing:\n  " + "\n  ".join(problems))
    print("# Made by derive_values.py from values-amd.yaml and the chart's values.")
    yaml.safe_dump(values, sys.stdout, sort_keys=False)


if __name__ == "__main__":
    main()
