#!/usr/bin/env bash
# Only platform/ knows the operating system: no other file of the client, the runtime, the wire, the network or the tools
# includes a header that not every system has, or asks the compiler which system it is.
#   tests/portable.sh SOURCE_DIR
# What may be included is listed, so a header nobody thought of is found too. Files for Linux only are exempt: the worker, the
# software GPU and its telemetry, TensorFusion's parts, what uses UCX (others build net/ucx_none.cpp), unit tests, and tools for
# developers.
set -uo pipefail
cd "${1:?usage: portable.sh SOURCE_DIR}" || exit 2
cpp='[a-z_]+' # headers of C++ have no ending
c='std(arg|bool|def|int|io|lib)\.h|string\.h'
others='hip_remote/[a-z_]+\.h|smi_remote/[a-z_]+\.h|zstd\.h|zlib\.h|xxhash\.h|nlohmann/json\.hpp|gtest/gtest\.h|cxxabi\.h|openssl/[a-z0-9_]+\.h'
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*'
files=$(git ls-files '*.h' '*.cpp' '*.def' |
  grep -vE '^(platform|worker|backends|provider|tools|client/preload|tests|testing|bench|examples|demo)/|^telemetry/softgpu|^net/ucx_(bridge|library)\.|_(test|fuzz)\.cpp$')
found() { xargs grep -nE "$1" /dev/null <<<"$files"; }
bad=$({
  found "$include<" | grep -vE "<($cpp|$c|$others)>"
  found "$include\"platform/(windows|socket_api|[a-z]+_windows)\.h\"" # platform's own
  found '^[[:space:]]*#.*\b(_WIN32|__linux__|__APPLE__|__MINGW32__|__unix__)\b' | grep -vE '^(base/log|cli/names)\.h:'
})
# Its headers for others are as clean, but for one that only Linux has.
headers=$(git ls-files 'platform/*.h' | grep -vE '/(windows|socket_api|[a-z]+_windows|stall_watch)\.h$')
bad+=$(xargs grep -nE "$include<|$include\"platform/(windows|socket_api|[a-z]+_windows)\.h\"" /dev/null <<<"$headers" | grep -vE "<($cpp|$c)>")
if [[ -n $bad ]]; then
  echo "$bad"
  echo "These belong into platform/ (see its README.md)."
  exit 1
fi
[[ $(wc -l <<<"$files") -gt 200 && $(wc -l <<<"$headers") -gt 10 ]] # else the lists of files are broken
