#!/bin/sh
# check_library.sh LIBRARY ABI: the library exports exactly the symbols of the real one, in the same version nodes, which
# hang together as the real ones do.
set -eu
export LC_ALL=C
library=$1
abi=$2
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

same() {  # what expected found
  if ! diff -u --label expected --label "$library" "$2" "$3"; then
    echo "FAILED: $1"
    status=1
  fi
}

nm -D --defined-only --with-symbol-versions "$library" > "$work/symbols"
awk '$2 != "A" { sub("@@", " ", $3); print $3 }' "$work/symbols" | sort > "$work/functions"
same "exported functions" "$here/libamdhip64.so.$abi.txt" "$work/functions"

# "node parent", in the order of readelf's listing
readelf -VW "$library" | awk '
  /Name: / && !/BASE/ && /Cnt:/ { node = $NF }
  /Parent / { print node, $NF }
' | sort > "$work/parents"
case $abi in
  5) nodes="4.2 4.3 4.4 4.5 5.0 5.1 5.2 5.3 5.5 5.6" ;;
  6) nodes="4.2 4.3 4.4 4.5 5.0 5.1 5.2 5.3 5.5 5.6 6.0 6.1 6.2 6.4" ;;
  7) nodes="4.2 4.3 4.4 4.5 5.0 5.1 5.2 5.3 5.5 5.6 6.0 6.1 6.2 6.4 6.5 7.1 7.2 7.14 7.15 7.16 7.17 7.18" ;;
esac
{
  parent=
  for node in $nodes; do
    [ -z "$parent" ] || echo "hip_$node hip_$parent"
    parent=$node
  done
  [ "$abi" != 7 ] || echo "hip_profiler_ext hip_7.2"
} | sort > "$work/expected_parents"
same "version nodes" "$work/expected_parents" "$work/parents"

readelf -dW "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p' > "$work/soname"
echo "libamdhip64.so.$abi" > "$work/expected_soname"
same "soname" "$work/expected_soname" "$work/soname"

# A call from inside the library to one of its own functions must not go through a symbol others could replace.
if readelf -rW "$library" | grep -E ' (_Z[0-9N]*|__|)hip[A-Za-z0-9_]*@'; then
  echo "FAILED: exported functions can be interposed"
  status=1
fi

exit $status
