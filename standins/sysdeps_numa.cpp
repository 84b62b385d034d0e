// librocm_sysdeps_numa: the libnuma that AMD's own packages carry under this name. It says what libnuma says where
// memory has no nodes.
#include <cerrno>

#include "standins/refused.h"

#define NUMA_EXPORT extern "C" HIPR_EXPORTED

NUMA_EXPORT int numa_available() {
  return -1;
}
NUMA_EXPORT int numa_max_node() {
  return 0;
}
NUMA_EXPORT long long numa_node_size64(int, long long* unused) {
  if (unused) *unused = 0;
  return -1;
}
NUMA_EXPORT long mbind() {
  errno = ENOSYS;
  return -1;
}

NUMA_EXPORT void* numa_bitmask_alloc() {
  return nullptr;
}
NUMA_EXPORT void numa_bitmask_free() {}
NUMA_EXPORT void* numa_bitmask_setbit(void* mask, unsigned) {
  return mask;
}
