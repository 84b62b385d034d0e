#!/bin/sh
# A library with variables of threads that are always in the same place (our calls are too short to look for them) takes that
# room from what glibc keeps for libraries that are loaded later: 512 bytes unless somebody sets more (rtld.optional_static_tls).
# A program that has loaded many others, PyTorch say, has little left: then dlopen fails with "cannot allocate memory in static
# TLS block".
#   static_tls.sh LIBRARY...
most=512
failed=0
for library; do
  size=$(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')
  size=$((${size:-0}))
  echo "$library: $size bytes"
  if [ "$size" -gt "$most" ]; then
    echo "more than $most" >&2
    failed=1
  fi
done
exit $failed
