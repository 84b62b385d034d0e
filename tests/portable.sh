#!/usr/bin/env bash
# Only platform/ knows the operating system: no other file of the client, the runtime, the wire, the network or the tools
# includes one of its headers or asks the compiler which system it is. The worker, the software GPU, TensorFusion's parts,
# tools and tests run on Linux only and may;
# so may the telemetry of softgpu.
set -uo pipefail
cd "${1:?usage: portable.sh SOURCE_DIR}" || exit 2
system='aio arpa/.* bcrypt byteswap cpio dirent dlfcn elf endian execinfo fcntl fnmatch ftw getopt glob grp ifaddrs io iconv langinfo libgen link
  linux/.* mach/.* mach-o/.* malloc mntent net/.* netdb netinet/.* nl_types poll process pthread pwd regex sched search semaphore shlwapi
  signal sodium spawn strings sys/.* syscall syslog termios ucontext unistd utime utmp wait windows winsock2 ws2tcpip'
pattern="^[[:space:]]*#[[:space:]]*include[[:space:]]*<($(echo $system | tr ' ' '|'))\.h>"
macros='^[[:space:]]*#.*\b(_WIN32|__linux__|__APPLE__|__MINGW32__|__unix__)\b'
files=$(git ls-files '*.h' '*.cpp' '*.def' | grep -vE '^(platform|worker|backends|provider|tools|client/preload|tests|testing|bench|examples|demo)/|^telemetry/softgpu|_(test|fuzz)\.cpp$')
bad=$(echo "$files" | xargs grep -nE "$pattern" /dev/null; echo "$files" | grep -vE '^(base/log\.h|base/pause\.h|cli/names\.h)$' | xargs grep -nE "$macros" /dev/null)
if [[ -n $bad ]]; then
  echo "$bad"
  echo "These belong into platform/ (see its README.md)."
  exit 1
fi
[[ $(echo "$files" | wc -l) -gt 200 ]] # else the list of files is broken
