// The kernels of native_bench, for two targets from one source: those that tests and benchmarks share, and one that
// lasts as long as it is told.
#ifdef __NVPTX__
#define amdgpu_kernel nvptx_kernel
#define __builtin_amdgcn_workgroup_id_x __nvvm_read_ptx_sreg_ctaid_x
#define __builtin_amdgcn_workitem_id_x __nvvm_read_ptx_sreg_tid_x
static unsigned long ticks(void) {
  unsigned long now;
  __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(now));
  return now;
}
#else
static unsigned long ticks(void) {
  return __builtin_amdgcn_s_memrealtime();
}
#endif

#include "testing/kernels.c"

// Lasts `duration` ticks of the clock whose rate the device gives as hipDeviceAttributeWallClockRate.
KERNEL void spin(__attribute__((address_space(1))) unsigned long* out, unsigned long duration) {
  const unsigned long start = ticks();
  unsigned long now = start;
  while (now - start < duration) now = ticks();
  *out = now - start;
}
