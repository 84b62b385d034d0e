#!/usr/bin/env python3
"""deploy/helm/derive_values.py: what it makes of a chart, and that it refuses one that has changed.

   derive_values_test.py [VALUES]     VALUES: those of TensorFusion's own chart, instead of a stand-in for it
   derive_values_test.py --print-stand-in"""
import copy
import os
import subprocess
import sys
import unittest

import yaml

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/helm")
sys.path.insert(0, FOLDER)
sys.dont_write_bytecode = True
from derive_values import derive  # noqa: E402
POINTS = ["preEnqueue", "preFilter", "filter", "score", "postFilter", "reserve", "permit", "preBind", "postBind"]


def stand_in():
    """As much of the chart's values as matters, and a plugin that nobody has heard of."""
    plugins = {point: {"enabled": [{"name": "GPUResourcesFit"}, {"name": "SomethingNew"}]} for point in POINTS}
    return {
        "initialGpuNodeLabelSelector": "nvidia.com/gpu.present=true",
        "controller": {"isolationModePolicy": "dynamic", "replicaCount": 1},
        "cluster": {"enabled": True},
        "providerConfigs": {"nvidia": {"enabled": True}},
        "schedulingConfigTemplate": {"enabled": True},
        "schedulerConfig": {"profiles": [{
            "schedulerName": "tensor-fusion-scheduler",
            "plugins": plugins,
            "pluginConfig": [
                {"name": "SomethingNew", "args": {"mode": "soft"}},
                {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"resources": [
                    {"name": "cpu", "weight": 1}, {"name": "nvidia.com/gpu", "weight": 5}]}}}]}]},
    }


chart = stand_in()


with open(f"{FOLDER}/values-amd.yaml") as file:
    overlay = yaml.safe_load(file)


def run(text):
    done = subprocess.run([f"{FOLDER}/derive_values.py"], input=text, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def merged(chart, overlay):
    """As Helm does it: maps are merged, everything else is replaced."""
    if not isinstance(chart, dict) or not isinstance(overlay, dict):
        return overlay
    return {key: merged(chart[key], overlay[key]) if key in chart and key in overlay else overlay.get(key, chart.get(key))
            for key in {**chart, **overlay}}


class Derive(unittest.TestCase):
    def test_the_scheduler_is_the_charts_but_for_the_resource(self):
        code, out, err = run(yaml.safe_dump(chart))
        self.assertEqual(code, 0, err)
        values = merged(chart, yaml.safe_load(out))
        self.assertEqual(yaml.safe_dump(values["schedulerConfig"]),
                         yaml.safe_dump(chart["schedulerConfig"]).replace("nvidia.com/gpu", "amd.com/gpu"))
        self.assertEqual(values["initialGpuNodeLabelSelector"], "amdgpu.com/gpu.present=true")
        self.assertEqual(values["controller"]["isolationModePolicy"], "static")
        self.assertFalse(values["cluster"]["enabled"] or values["providerConfigs"]["nvidia"]["enabled"])

    def refused(self, change, said):
        changed = copy.deepcopy(chart)
        change(changed, changed["schedulerConfig"]["profiles"][0])
        self.assertIn(said, "\n".join(derive(changed, overlay)[1]))

    def test_a_chart_whose_plugin_takes_no_part_is_refused(self):
        for point in POINTS:
            self.refused(lambda _, profile: profile["plugins"].pop(point), f"not enabled at {point}")

    def test_a_chart_that_counts_otherwise_is_refused(self):
        def rename(_, profile):
            for plugin in profile["pluginConfig"]:
                for resource in plugin["args"].get("scoringStrategy", {}).get("resources", []):
                    resource["name"] = resource["name"].replace("nvidia.com/gpu", "example.com/gpu")
        self.refused(rename, "does not score nvidia.com/gpu")
        self.refused(lambda _, profile: profile["pluginConfig"].append({"name": "Other", "args": {"r": "nvidia.com/mig"}}),
                     "in other places")

    def test_a_chart_without_our_keys_is_refused(self):
        self.refused(lambda values, _: values["controller"].pop("isolationModePolicy"), "controller.isolationModePolicy is not a value")
        self.refused(lambda values, _: values.pop("cluster"), "cluster is not a value")
        self.refused(lambda _, profile: profile.update(schedulerName="default"), "no profile tensor-fusion-scheduler")

    def test_what_is_refused_gives_no_values(self):
        for text in ["", yaml.safe_dump({**chart, "schedulerConfig": {}})]:
            code, out, err = run(text)
            self.assertNotEqual(code, 0)
            self.assertEqual(out, "")
            self.assertTrue(err)


if sys.argv[1:] == ["--print-stand-in"]:
    print(yaml.safe_dump(chart))
    sys.exit()
if len(sys.argv) > 1:
    with open(sys.argv.pop(1)) as file:
        chart = yaml.safe_load(file)
unittest.main()
