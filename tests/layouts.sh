#!/usr/bin/env bash
# One layout for all systems: every structure of HIP and of AMD SMI, in each version we speak, has the same size, alignment and
# offsets wherever a client can be built. `long` has four bytes on Windows, and compilers differ in bit-fields and packing there.
#   tests/layouts.sh SOURCE_DIR CLANG
# The compiler itself is asked, for each system in turn, so a structure nobody thought of is compared too. The bytes of messages
# are another test (wire/golden), which runs under Wine and on ARM64.
set -uo pipefail
cd "${1:?usage: layouts.sh SOURCE_DIR CLANG}" || exit 2
clang=${2:?usage: layouts.sh SOURCE_DIR CLANG}
systems=(x86_64-linux-gnu x86_64-w64-mingw32 x86_64-pc-windows-msvc arm64-apple-macos13 aarch64-linux-gnu)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of the standard library only what these headers use: there is none here for most of the systems.
cat >"$work/cstddef" <<'END'
#include <stddef.h>
namespace std {
using ::size_t;
}
END
cat >"$work/cstdint" <<'END'
#include <stdint.h>
namespace std {
using ::int16_t, ::int32_t, ::int64_t, ::int8_t, ::uint16_t, ::uint32_t, ::uint64_t, ::uint8_t;
}
END
layouts() { # SYSTEM HEADER: a block for each structure, and no names of files
  echo "#include \"$2\"" |
    "$clang" --target="$1" -ffreestanding -nostdlibinc -w -x c++ -std=c++20 -I"$work" -Iinclude -I. \
      -Xclang -fdump-record-layouts-complete -fsyntax-only - >"$work/dump" || return 1
  # What has 64 bits is called long on one system and long long on another; it is offsets and sizes that must be the same.
  # Microsoft's rules have no sizes without padding (dsize and the like); what variable arguments are is each system's own.
  sed -E 's/ at [^)]*\)/)/; s/, [dn]v?size=[0-9]+//; s/,$/]/; /nvsize|nvalign/d; s/long long/long/g' "$work/dump" |
    awk 'BEGIN { RS = ""; ORS = "\n\n" } !/__va_list|max_align/'
}
failed=0 structures=0
for header in hip_remote/hip.h abi/older_structs.h smi_remote/smi_remote_client.h amdsmi/types_{24,26,27}.h; do
  for system in "${systems[@]}"; do
    if ! layouts "$system" "$header" >"$work/$system"; then
      echo "$header does not compile for $system"
      failed=1
    elif ! diff "$work/${systems[0]}" "$work/$system" >"$work/difference"; then
      echo "$header: ${systems[0]} (<) and $system (>) differ:"
      head -20 "$work/difference"
      failed=1
    fi
  done
  here=$(grep -c sizeof "$work/${systems[0]}")
  echo "$header: $here structures compared for ${#systems[@]} systems"
  if [[ $here -eq 0 ]]; then failed=1; fi
  structures=$((structures + here))
done
[[ $failed -eq 0 && $structures -gt 150 ]] # else the compiler says something we do not understand
