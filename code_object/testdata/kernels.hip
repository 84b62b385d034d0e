// Kernels that use what code objects can carry: every kind of variable, relocations, structs by value, LDS, printf.
#include <hip/hip_runtime.h>

struct Pair {
  char a;
  double b;
};

__device__ int counter = 7;
__constant__ float table[4] = {1, 2, 3, 4};
__managed__ int shared_value = 42;
__device__ int* pointer = &counter;

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] + table[i & 3];
}

__global__ void pairs(Pair p, char c, short* out) {
  out[0] = p.a + (short)p.b + c;
  atomicAdd(&counter, 1);
  *pointer += shared_value;
}

__global__ void talk(int value) { printf("value %d\n", value); }

extern "C" __global__ void __launch_bounds__(128) nothing() {}

template <class T>
__global__ void exchange(T* p) {
  extern __shared__ char raw[];
  __shared__ T fixed[32];
  T* q = reinterpret_cast<T*>(raw);
  q[threadIdx.x] = p[threadIdx.x];
  fixed[threadIdx.x & 31] = q[0];
  __syncthreads();
  p[threadIdx.x] = q[threadIdx.x ^ 1] + fixed[threadIdx.x & 7];
}
template __global__ void exchange<double>(double*);

__device__ __attribute__((noinline)) int depth(int n) { return n < 2 ? 1 : depth(n - 1) + depth(n - 2); }
__global__ void recurse(int* p) { *p = depth(*p); }
