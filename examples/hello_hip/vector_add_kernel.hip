// The kernel of hello_hip. The build compiles it to a GPU code object and embeds the bytes into the host program,
// which then needs neither a compiler nor this file when it runs.
#include <hip/hip_runtime.h>

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
