// Dynamic shared memory: sizes chosen at launch up to the device's limit, together with static LDS, and two views of
// it.
#include "../support.h"

extern __shared__ unsigned char pool[];

__global__ void reverse(const int* in, int* out, int n) {
  int* local = reinterpret_cast<int*>(pool);
  for (int i = threadIdx.x; i < n; i += blockDim.x) local[i] = in[blockIdx.x * n + i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = local[n - 1 - i];
}

TEST(dynamic_lds_sizes) {
  for (int n : {1, 100, 1024, 16384}) {  // 16384 ints are the 64 KiB a gfx90a workgroup may have
    const int blocks = 3;
    const auto in = randomVector<int>(n * blocks, 111, -1e6, 1e6);
    std::vector<int> want(in.size());
    for (int b = 0; b < blocks; ++b)
      for (int i = 0; i < n; ++i) want[b * n + i] = in[b * n + n - 1 - i];
    Buffer<int> din(in), dout(in.size());
    reverse<<<blocks, 256, n * sizeof(int)>>>(din, dout, n);
    KERNEL_OK();
    EXPECT_VEC(dout.download(), want);
    check::result(want);
  }
}

TEST(dynamic_lds_too_large_is_refused) {
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  Buffer<int> d(1);
  reverse<<<1, 64, p.sharedMemPerBlock + 4>>>(d, d, 1);
  HIP_FAILS(hipGetLastError());
}

__global__ void staticAndDynamic(double* out, int n) {
  __shared__ double fixed[64];
  HIP_DYNAMIC_SHARED(double, variable)
  fixed[threadIdx.x] = threadIdx.x * 0.5;
  for (int i = threadIdx.x; i < n; i += blockDim.x) variable[i] = i * 2.0;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += variable[i];
  out[threadIdx.x] = sum + fixed[63 - threadIdx.x];
}

TEST(static_and_dynamic_lds) {
  const int n = 500;
  Buffer<double> out(64);
  staticAndDynamic<<<1, 64, n * sizeof(double)>>>(out, n);
  KERNEL_OK();
  std::vector<double> want(64);
  for (int i = 0; i < 64; ++i) want[i] = n * (n - 1.0) + (63 - i) * 0.5;
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

__global__ void twoViews(unsigned* out, int words) {
  unsigned* asWords = reinterpret_cast<unsigned*>(pool);
  for (int i = threadIdx.x; i < words * 4; i += blockDim.x) pool[i] = static_cast<unsigned char>(i * 7);
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    out[i] = asWords[i] ^ reinterpret_cast<unsigned short*>(pool)[i];
}

TEST(lds_bytes_words_and_halves) {
  const int words = 300;
  Buffer<unsigned> out(words);
  twoViews<<<1, 128, words * 4>>>(out, words);
  KERNEL_OK();
  std::vector<unsigned> want(words);
  auto byte = [](int i) { return static_cast<unsigned>(static_cast<unsigned char>(i * 7)); };
  for (int i = 0; i < words; ++i) {
    const unsigned word = byte(4 * i) | byte(4 * i + 1) << 8 | byte(4 * i + 2) << 16 | byte(4 * i + 3) << 24;
    want[i] = word ^ (byte(2 * i) | byte(2 * i + 1) << 8);
  }
  EXPECT_VEC(out.download(), want);
  check::result(want);
}
