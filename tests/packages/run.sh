#!/usr/bin/env bash
# The packages as their users get them: made from BUILD_DIR, checked, installed where nothing was built, and used.
#   tests/packages/run.sh BUILD_DIR
# Chroots are made with mmdebstrap (as root) from the distributions' mirrors, in BUILD_DIR/packages, and kept for the next run.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD_DIR}" && pwd)
packages=$build/packages
logs=$build/logs/packages
mkdir -p "$logs"
passed=0 failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$logs/$name.log" 2>&1; then
    passed=$((passed + 1))
    echo "ok   $name"
  else
    failed=$((failed + 1))
    echo "FAIL $name"
    tail -25 "$logs/$name.log" | sed 's/^/    /'
  fi
}
skip() { echo "skipped $1: $2"; }

make_debs() { rm -f "$packages"/*.deb && (cd "$build" && cpack -G DEB) && [[ $(ls "$packages"/*.deb | wc -l) -eq 5 ]]; }
run_lintian() { lintian --fail-on error,warning --info "$packages"/*.deb; }
unit_is_locked_up() { # at most 2.0
  systemd-analyze security --offline=yes --threshold=20 "$root/deploy/systemd/hip-worker.service"
}
make_wheel() { rm -f "$packages"/*.whl && "$root/scripts/wheel" "$build" "$packages"; }
use_wheel() {
  local venv=$packages/venv
  rm -rf "$venv"
  python3 -m venv "$venv" && "$venv/bin/pip" install --no-index --quiet "$packages"/hip_remote-*.whl &&
    env -u LD_LIBRARY_PATH PATH="$venv/bin:/usr/bin:/bin" "$here/use.sh" hip-remote hip-worker "$build/examples" &&
    (cd / && "$venv/bin/python" "$here/api.py")
}
holds() { # PACKAGE FILE...
  local package=$1 file list
  shift
  list=$(dpkg-deb -c "$packages/hip-remote-${package}"_*.deb | sed 's/.* \.\///; s/ -> .*//') || return 1
  for file in "$@"; do grep -qxF "usr/$file" <<<"$list" || { echo "hip-remote-$package lacks $file"; return 1; }; done
}
manuals_and_completion() {
  holds tools share/man/man1/{hip-remote,smi-remote}.1.gz share/bash-completion/completions/{hip-remote,smi-remote} \
    share/zsh/vendor-completions/_hip-remote && holds worker share/man/man1/hip-worker.1.gz share/bash-completion/completions/hip-worker
}
in_chroot() { # NAME SUITE SOURCE...
  local name=$1 suite=$2 chroot=$packages/$1 example
  shift 2
  if [[ ! -e $chroot/usr/bin/apt-get ]]; then
    rm -rf "$chroot"
    mmdebstrap --quiet --variant=minbase --include=apt "$suite" "$chroot" "$@" || return 1
  fi
  rm -rf "$chroot/tmp/try" && mkdir -p "$chroot/tmp/try/examples" &&
    cp "$packages"/*.deb "$packages"/*.whl "$here"/{use.sh,api.py,copies.py} "$chroot/tmp/try" &&
    cp /etc/resolv.conf "$chroot/etc/resolv.conf" || return 1
  for example in "$build"/examples/*; do
    if [[ -f $example && -x $example ]]; then cp "$example" "$chroot/tmp/try/examples" || return 1; fi
  done
  mount --bind /proc "$chroot/proc" || return 1
  chroot "$chroot" sh -ec '
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    apt-get install -y -q --no-install-recommends /tmp/try/*.deb python3-venv
    for compiler in cc c++ clang hipcc; do if command -v $compiler; then exit 1; fi; done
    /tmp/try/use.sh hip-remote hip-worker /tmp/try/examples
    apt-get purge -y -q "hip-remote-*"
    test ! -e /usr/lib/hip-remote
    rm -rf /tmp/venv
    python3 -m venv /tmp/venv
    /tmp/venv/bin/pip install --no-index --quiet /tmp/try/*.whl
    PATH=/tmp/venv/bin:$PATH
    /tmp/try/use.sh hip-remote hip-worker /tmp/try/examples
    python /tmp/try/api.py'
  local code=$?
  umount "$chroot/proc"
  return "$code"
}

check debs make_debs
if command -v lintian >/dev/null; then check lintian run_lintian; else skip lintian "lintian is not installed"; fi
check manuals manuals_and_completion
if command -v systemd-analyze >/dev/null; then check unit unit_is_locked_up; else skip unit "systemd-analyze is not installed"; fi
if command -v patchelf >/dev/null; then
  check wheel make_wheel
  check wheel-used use_wheel
else
  skip wheel "patchelf is not installed"
fi
if [[ $EUID -eq 0 ]] && command -v mmdebstrap >/dev/null; then
  check debian-12 in_chroot debian-12 bookworm http://deb.debian.org/debian
  # Debian has no keyring of Ubuntu's.
  check ubuntu-24.04 in_chroot ubuntu-24.04 noble "deb [trusted=yes] http://archive.ubuntu.com/ubuntu noble main universe"
else
  skip chroots "they take root and mmdebstrap"
fi
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
