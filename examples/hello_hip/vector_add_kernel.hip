// The kernel of hello_hip. The build compiles it to a GPU code object and embeds the bytes into the host program,
// which then needs neither a compiler nor this file when it runs.
#ifndef NO_HIP_HEADERS
#include <hip/hip_runtime.h>
#define THREAD_INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#else  // clang alone knows enough, where there are no headers of HIP
#define __global__ __attribute__((global))
#define THREAD_INDEX \
  (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x())
#endif

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = THREAD_INDEX;
  if (i < n) c[i] = a[i] + b[i];
}
