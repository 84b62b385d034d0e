// Tiled matrix multiplication in LDS with sizes that do not divide the tile, in float, double and int.
#include "../support.h"

#include <cmath>

constexpr int kTile = 16;

template <class T>
__device__ T multiplyAdd(T a, T b, T c) {
  return fma(a, b, c);
}
__device__ inline int multiplyAdd(int a, int b, int c) {
  return a * b + c;
}

template <class T>
__global__ void matmul(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ T left[kTile][kTile], right[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  T sum = 0;
  for (int start = 0; start < k; start += kTile) {
    const int ka = start + threadIdx.x, kb = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : T(0);
    right[threadIdx.y][threadIdx.x] = column < n && kb < k ? b[kb * n + column] : T(0);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum = multiplyAdd(left[threadIdx.y][i], right[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

template <class T>
static T hostMultiplyAdd(T a, T b, T c) {
  if constexpr (std::is_floating_point<T>::value)
    return std::fma(a, b, c);  // the same order and the same rounding as the kernel: exact comparison
  else
    return a * b + c;
}

template <class T>
static void checkMatmul(int m, int n, int k) {
  const auto a = randomVector<T>(m * k, 5, -9, 9), b = randomVector<T>(k * n, 6, -9, 9);
  std::vector<T> want(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int l = 0; l < k; ++l) sum = hostMultiplyAdd(a[i * k + l], b[l * n + j], sum);
      want[i * n + j] = sum;
    }
  Buffer<T> da(a), db(b), dc(m * n);
  dc.fill(0xff);
  matmul<T><<<dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), dim3(kTile, kTile)>>>(da, db, dc, m, n, k);
  KERNEL_OK();
  const auto got = dc.download();
  EXPECT_VEC(got, want);
  check::result(got);
}

TEST(matmul_float) {
  checkMatmul<float>(64, 64, 64);
  checkMatmul<float>(50, 70, 33);
  checkMatmul<float>(1, 1, 1);
}
TEST(matmul_double) {
  checkMatmul<double>(37, 41, 53);
}
TEST(matmul_int) {
  checkMatmul<int>(48, 17, 40);
}
