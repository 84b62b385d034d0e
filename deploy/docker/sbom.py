#!/usr/bin/env python3
"""The bill of materials of an image, as SPDX 2.3: every file that our stages put into it, with its hash, and the libraries of the
build's system that are linked into them.

   sbom.py ROOT NAME VERSION [ROCM_VERSION] >sbom.spdx.json

ROOT is what is copied into the image; its base has its own. Versions of the libraries are asked of dpkg: run it where it was built."""
import hashlib
import json
import os
import subprocess
import sys
import time

GCC = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=True).stdout.split(".")[0].strip()
# What portable.cmake links in, by the package that brings it, and its licence. GCC's library is named after its version.
LINKED = {"libzstd-dev": "BSD-3-Clause", "libxxhash-dev": "BSD-2-Clause", "libsodium-dev": "ISC", "libssl-dev": "Apache-2.0", "zlib1g-dev": "Zlib",
          f"libstdc++-{GCC}-dev": "GPL-3.0-or-later WITH GCC-exception-3.1", "nlohmann-json3-dev": "MIT"}


def version_of(package):
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return found.stdout if found.returncode == 0 else None


def files_below(root):
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                yield path, "./" + os.path.relpath(path, root)


def package(identity, name, version, license_, supplier):
    return {"SPDXID": identity, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": license_, "licenseDeclared": license_, "copyrightText": "NOASSERTION", "supplier": supplier}


def main():
    root, name, version, rocm = sys.argv[1], sys.argv[2], sys.argv[3], "".join(sys.argv[4:5])
    files, packages, relations = [], [package("SPDXRef-Image", name, version, "MIT", "NOASSERTION")], []

    def relate(one, how, other):
        relations.append({"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other})

    relate("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Image")
    for number, (path, shown) in enumerate(files_below(root)):
        with open(path, "rb") as file:
            content = file.read()
        identity = f"SPDXRef-File-{number}"
        files.append({"SPDXID": identity, "fileName": shown, "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION", "checksums": [
            {"algorithm": kind.upper(), "checksumValue": hashlib.new(kind, content).hexdigest()} for kind in ("sha1", "sha256")]})
        relate("SPDXRef-Image", "CONTAINS", identity)
    if not files:
        sys.exit(f"nothing in {root}")
    for debian, license_ in LINKED.items():
        found = version_of(debian)
        if found is None:
            sys.exit(f"{debian} is linked in, and not installed here: of which version?")
        identity = "SPDXRef-Linked-" + debian.replace("+", "p")
        packages.append(package(identity, debian, found, license_, "Organization: Debian or Ubuntu"))
        relate("SPDXRef-Image", "STATIC_LINK", identity)
    if rocm:
        packages.append(package("SPDXRef-ROCm", "ROCm", rocm, "NOASSERTION", "Organization: Advanced Micro Devices"))
        relate("SPDXRef-Image", "CONTAINS", "SPDXRef-ROCm")
    content = json.dumps([files, packages], sort_keys=True).encode()
    made = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    json.dump({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
               "documentNamespace": f"urn:hip-remote:{name}:{hashlib.sha256(content).hexdigest()}",
               "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", made), "creators": ["Tool: hip-remote-sbom.py"]},
               "packages": packages, "files": files, "relationships": relations}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
