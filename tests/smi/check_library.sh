#!/bin/sh
# check_library.sh LIBRARY SONAME: the library exports exactly the functions of the real one, with the same symbol
# version or none, under the same soname.
set -eu
export LC_ALL=C
library=$1
expected=$(dirname "$0")/libamd_smi.so.$2.txt
found=$(mktemp)
trap 'rm -f "$found"' EXIT

nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { sub("@@", " ", $3); print $3 }' |
  sort > "$found"
diff -u --label expected --label "$library" "$expected" "$found"
readelf -dW "$library" | grep -qF "soname: [libamd_smi.so.$2]"
