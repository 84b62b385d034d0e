#!/usr/bin/env python3
"""What bash offers after the first letters of a command, and that --help names every option that it could offer.

  completion_test.py BUILD_DIR
"""
import subprocess
import sys
import unittest
from pathlib import Path

from with_worker import BUILD

SCRIPT = Path(__file__).resolve().parents[2] / "deploy/completion/hip-remote.bash"


def offered(*line):
    """For the last word of a command line."""
    program = str(BUILD / "bin" / line[0])
    call = 'source "$0"; COMP_CWORD=$1; shift; _hip_remote "$@"; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", call, SCRIPT, str(len(line) - 1), program, line[-1], line[-2] if len(line) > 2 else program],
                          capture_output=True, text=True, timeout=60, check=True, cwd=SCRIPT.parent)
    return done.stdout.split()


class Completion(unittest.TestCase):
    def test_options(self):
        self.assertEqual(offered("hip-worker", "--to"), ["--token-file"])
        self.assertEqual(offered("hip-worker", "--data-cache"), ["--data-cache", "--data-cache-limit"])
        self.assertEqual(offered("smi-remote", "--i"), ["--interval"])
        self.assertEqual(offered("hip-remote", "run", "--so"), ["--softgpu"])

    def test_commands(self):
        self.assertEqual(offered("hip-remote", "tr"), ["trace"])
        self.assertEqual(offered("hip-remote", "do"), ["doctor"])
        self.assertEqual(offered("smi-remote", "me"), ["metrics"])
        self.assertIn("bash", offered("hip-remote", "run", "bas"))

    def test_values(self):
        self.assertEqual(offered("hip-worker", "--token-file", "hip-remote.b"), ["hip-remote.bash"])
        self.assertEqual(offered("hip-remote", "trace", "-o", "hip-remote.b"), ["hip-remote.bash"])
        self.assertEqual(offered("hip-worker", "--runtime", "so"), ["softgpu"])
        self.assertEqual(offered("hip-worker", "--cache", "hip-remote.b"), [])  # folders only
        self.assertEqual(offered("hip-worker", "--port", ""), [])

    def test_every_program_says_what_is_wrong(self):
        for line in (["hip-worker", "--nothing"], ["smi-remote", "--nothing"], ["hip-remote", "run", "--nothing", "true"],
                     ["hip-remote", "doctor", "--timeout"], ["hip-remote", "pair", "--nothing"], ["hip-worker", "--port", "x"],
                     ["hip-worker", "word"], ["hip-worker", "--limit", "nothing=1"], ["smi-remote", "list", "--count", "0"],
                     ["hip-remote", "info", "word"], ["hip-remote", "env", "word"],
                     ["hip-remote", "run", "--worker", "gpu-box", "--softgpu", "true"], ["hip-remote", "info", "--softgpu", "--worker", "gpu-box"]):
            done = subprocess.run([str(BUILD / "bin" / line[0]), *line[1:]], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, line)
            self.assertIn(next(word for word in line[1:] if word.startswith("-") or word == "word"), done.stderr)
            self.assertIn("--help", done.stderr)
        for line in (["hip-remote", "info", "--softgpu", "gpu-box"], ["hip-remote", "env", "--softgpu", "gpu-box"]):
            done = subprocess.run([str(BUILD / "bin" / line[0]), *line[1:]], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""), line)
            self.assertEqual(done.stderr, f'hip-remote {line[1]}: unexpected argument "gpu-box"; see hip-remote --help\n')

    def test_every_command_of_hip_remote_has_help(self):
        program = str(BUILD / "bin/hip-remote")
        whole = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
        for command in ("run", "trace", "info", "doctor", "smi", "pair", "env", "rocminfo", "rocm_agent_enumerator"):
            for options in (["--help"], ["-h"]):
                done = subprocess.run([program, command, *options], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, whole, ""), command)
        for line in (["run", "--softgpu", "--help"], ["pair", "gpu-box", "--help"], ["doctor", "--worker", "gpu-box", "-h"]):
            self.assertEqual(subprocess.run([program, *line], capture_output=True, text=True, timeout=60, check=True).stdout, whole)
        own = subprocess.run([program, "run", "--softgpu", "--", "ls", "--help"], capture_output=True, text=True, timeout=60, check=True)
        self.assertNotIn("hip-remote", own.stdout)  # that is the program's


if __name__ == "__main__":
    unittest.main()
