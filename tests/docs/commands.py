#!/usr/bin/env python3
"""The commands that README.md and docs/ show, run as they stand where that is possible on one machine.

  commands.py SOURCE_DIR BUILD_DIR

Lines of bash blocks that call hip-remote or smi-remote run against a worker on the software GPU, which stands for the host
names of the documents; ./saxpy is an example program. Of hip-worker's lines the options must exist.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
program = build / "examples/vector_add"
if not program.exists():
    print("skipped: examples/build.sh has not been run")
    sys.exit(77)

environment = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "HIP_", "LD_"))}
environment |= {"HIP_REMOTE_SOFTGPU_MEMORY": "512", "PATH": f"{build / 'bin'}:/usr/bin:/bin"}
worker = subprocess.Popen([build / "bin/hip-worker", "--runtime", "softgpu", "--port", "0", "--grace", "1"], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
address = None
for line in worker.stdout:
    if found := re.search(r"Listening on port (\d+)", line):
        address = f"127.0.0.1:{found[1]}"
        break

blocks = re.compile(r"^```bash\n(.*?)^```", re.S | re.M)
command = re.compile(r"^(?:build/bin/)?(hip-remote|smi-remote|hip-worker)( .*)?$")
help_text = subprocess.run([build / "bin/hip-worker", "--help"], capture_output=True, text=True).stdout
ran, failures = 0, []
for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    for block in blocks.findall(path.read_text()):
        for line in block.splitlines():
            shown = re.sub(r"\s+# .*", "", line).strip()
            found = command.match(shown)
            if not found or "amd-smi" in shown or found[0].startswith("hip-remote smi") or " watch" in shown:
                continue
            ran += 1
            if found[1] == "hip-worker":
                missing = [option for option in re.findall(r"--[a-z-]+", shown) if option not in help_text]
                if missing:
                    failures.append(f"{path.name}: {shown}: hip-worker has no {missing[0]}")
                continue
            words = shown.replace("build/bin/", str(build / "bin") + "/").replace("./saxpy", str(program))
            words = re.sub(r"\b(gpu-box|other-box|gpu-box-\d)\b", address, words)
            done = subprocess.run(["bash", "-c", words], env=environment, cwd=root, capture_output=True, text=True, timeout=120)
            if done.returncode != 0:
                failures.append(f"{path.name}: {shown}: exit code {done.returncode}\n{done.stdout[-800:]}{done.stderr[-800:]}")
worker.terminate()
worker.stdout.close()
worker.wait()
if ran < 5:
    failures.append(f"only {ran} commands were found: this test is broken")
print("\n".join(failures) or f"{ran} commands of the documents work")
sys.exit(bool(failures))
