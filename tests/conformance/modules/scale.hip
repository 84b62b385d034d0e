// The code object that module.hip, launch.hip and occupancy.hip load: a few kernels with plain names, and some
// variables.
#include <hip/hip_runtime.h>

extern "C" {

__device__ int counter = 5;
__constant__ float factors[4] = {1, 2, 3, 4};
__device__ double table[16];
__device__ int compiler = __clang_major__;

__device__ __attribute__((noinline)) int notAKernel(int v) {
  return v + counter;
}

__global__ void scale(float* data, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by * factors[i % 4];
}

__global__ void count(int* out) {
  *out = notAKernel(1);
}

// A char first, so that the arguments after it show whether padding is right.
__global__ void mixedArguments(char a, double b, short c, int* out, float d) {
  *out = static_cast<int>(a + b * 10 + c * 100 + d * 1000);
}

__global__ void noArguments() {
  atomicAdd(&counter, 1);
}

__global__ void whoAmI(unsigned* out) {
  extern __shared__ unsigned dynamic[];
  dynamic[threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

__global__ void countThreads(unsigned* count, unsigned* largestX) {
  atomicAdd(count, 1u);
  atomicMax(largestX, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void __launch_bounds__(128) small(int* out) {
  __shared__ int local[1000];
  local[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = local[127 - threadIdx.x];
}
}
