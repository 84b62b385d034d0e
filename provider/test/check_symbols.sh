#!/bin/sh
# What libaccelerator_amd.so exports is the interface and nothing else, and what it needs every system of TensorFusion has.
#   check_symbols.sh LIBRARY MAP
set -eu
library=$1 map=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/global:/,/local:/p' "$map" | grep -oE '[A-Za-z]+;' | tr -d ';' | sort >"$work/wanted"
nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | sort >"$work/exported"
diff "$work/wanted" "$work/exported" || { echo "exports differ from $map"; exit 1; }

# Built on a newer system than Debian 12 it may need that system's C library, up to the one of the hypervisor's image.
here=$(getconf GNU_LIBC_VERSION | awk '{ print $2 }')
limit=$(printf '%s\n' 2.36 "$here" | sort -V | tail -n 1)
limit=$(printf '%s\n' 2.39 "$limit" | sort -V | head -n 1)
newest=$(objdump -T "$library" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
if [ "$(printf '%s\n' "$newest" "$limit" | sort -V | tail -n 1)" != "$limit" ]; then
  echo "needs glibc $newest, newer than $limit:"
  objdump -T "$library" | grep "GLIBC_$newest"
  exit 1
fi
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
for name in $needed; do
  case $name in
    libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux-x86-64.so.2 | ld-linux-aarch64.so.1) ;;
    *) echo "needs $name, which the hypervisor's image may lack"; exit 1 ;;
  esac
done
echo "exports $(wc -l <"$work/exported") functions; glibc up to $newest; needs $needed"
