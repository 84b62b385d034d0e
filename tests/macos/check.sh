#!/usr/bin/env bash
# What can be said of the client for macOS without a Mac: names, versions, exports, and that it asks for nothing newer than macOS 13.
#   tests/macos/check.sh MACOS_BUILD_DIR       beside it the examples of the ordinary build are made
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: check.sh MACOS_BUILD_DIR}" && pwd)
passed=0 failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; fi
}
says() { grep -qE -- "$1" <<<"$2"; }
# What others can link with: the list that the loader uses, less two names that linkers put into every file.
exports() {
  llvm-objdump-19 --macho --exports-trie "$1" | sed -nE 's/^0x[0-9A-F]+ +_([^ ]+).*/\1/p' | grep -vxE '__dso_handle|_mh_dylib_header' | LC_ALL=C sort
}
headers() { llvm-objdump-19 --macho --private-headers "$1"; }

for library in "$build"/lib/libamdhip64.[567].dylib; do
  abi=${library%.dylib} abi=${abi##*.}
  text=$(headers "$library")
  check "lib$abi: arm64 dylib" says 'ARM64 .* DYLIB' "$text"
  check "lib$abi: found by a run path" says "name @rpath/libamdhip64\.$abi\.dylib" "$text"
  check "lib$abi: current version" says "current version $abi\.0\.0" "$text"
  check "lib$abi: compatibility version" says "compatibility version $abi\.0\.0" "$text"
  # Linux has version nodes besides.
  check "lib$abi: exports" diff <(cut -d' ' -f1 "$root/tests/abi_exports/libamdhip64.so.$abi.txt" | LC_ALL=C sort -u) <(exports "$library")
done
# A program, as docs/macos.md links it.
hello() {
  "$root/build/cross/bin/aarch64-macos.13.0-c++" -std=c++20 -I"$build/../examples" -I"$root/include" "$root/examples/hello_hip/hello_hip.cpp" \
    -L"$build/lib" -lamdhip64 -Wl,-rpath,"$build/lib" -o "$build/bin/hello_hip"
}
check "hello_hip is built" hello
check "hello_hip asks for the library by its run path" says '@rpath/libamdhip64\.7\.dylib' "$(llvm-objdump-19 --macho --dylibs-used "$build/bin/hello_hip")"
check "hello_hip has a run path" says 'LC_RPATH' "$(headers "$build/bin/hello_hip")"
check "plain name" test "$(readlink "$build/lib/libamdhip64.dylib")" = libamdhip64.7.dylib
check "libamd_smi exports" diff <(cut -d' ' -f1 "$root/tests/smi/libamd_smi.so.27.txt" | LC_ALL=C sort -u) <(exports "$build/lib/libamd_smi.dylib")
for file in "$build"/lib/*.dylib "$build"/bin/hip-remote "$build"/bin/smi-remote; do
  if [[ -L $file ]]; then continue; fi
  name=$(basename "$file") text=$(headers "$file")
  check "$name: made for macOS 13" says 'minos 13\.0' "$text"
  # Nothing but the system's own libraries, which every Mac has.
  others=$(llvm-objdump-19 --macho --dylibs-used "$file" | sed -nE 's/^\t([^ ]*) .*/\1/p' | grep -vE '^/usr/lib/(libSystem|libc\+\+)|^@rpath/' || true)
  check "$name: needs only the system${others:+, not $others}" test -z "$others"
  # The compiler refuses what Apple's headers call newer than macOS 13 (cmake/hipr.cmake); and every name that is asked of the
  # system is in a list that somebody has looked through.
  new=$(llvm-nm-19 --undefined-only --just-symbol-name "$file" | sed 's/^_//' | LC_ALL=C sort -u |
    LC_ALL=C comm -23 - <(grep -v '^#' "$root/tests/macos/system_symbols.txt" | tr ' ' '\n' | LC_ALL=C sort -u))
  check "$name: asks for names that are not in system_symbols.txt: ${new//$'\n'/ }" test -z "$new"
done
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
