// y = a*x + y in every element type, fused and not, for sizes around the wave and block borders.
#include "../support.h"

#include <cmath>

template <class T>
__global__ void axpyFused(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fma(a, x[i], y[i]);
}

template <class T>
__global__ void axpySeparate(int n, T a, const T* x, T* y) {
#pragma clang fp contract(off)
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const T product = a * x[i];
    y[i] = product + y[i];
  }
}

template <class T>
__global__ void axpyStride(int n, T a, const T* x, T* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}

template <class T>
static void checkAxpy() {
  for (int n : {1, 63, 64, 65, 255, 1000, 4097}) {
    const auto x = randomVector<T>(n, 1, -100, 100), y0 = randomVector<T>(n, 2, -100, 100);
    const T a = T(1.0 / 3);
    Buffer<T> dx(x), dy(y0), dz(y0);
    axpyFused<T><<<blocksFor(n, 256), 256>>>(n, a, dx, dy);
    axpySeparate<T><<<blocksFor(n, 96), 96>>>(n, a, dx, dz);
    KERNEL_OK();
    std::vector<T> fused(n), separate(n);
    for (int i = 0; i < n; ++i) {
#pragma clang fp contract(off)
      fused[i] = std::fma(a, x[i], y0[i]);
      const T product = a * x[i];
      separate[i] = product + y0[i];
    }
    EXPECT_VEC(dy.download(), fused);
    EXPECT_VEC(dz.download(), separate);
    check::result(fused);
  }
}

TEST(axpy_float) {
  checkAxpy<float>();
}
TEST(axpy_double) {
  checkAxpy<double>();
}

template <class T>
static void checkIntegers() {
  const int n = 5000;
  Random r(3);
  std::vector<T> x(n), y(n), want(n);
  for (int i = 0; i < n; ++i) x[i] = T(r.next()), y[i] = T(r.next());
  const T a = T(0x9e3779b97f4a7c15u);
  for (int i = 0; i < n; ++i) {
    using U = std::make_unsigned_t<T>;
    want[i] = T(U(U(y[i]) + U(std::uint64_t(U(a)) * std::uint64_t(U(x[i])))));
  }
  Buffer<T> dx(x), dy(y);
  axpyStride<T><<<7, 128>>>(n, a, dx, dy);
  KERNEL_OK();
  const auto got = dy.download();
  EXPECT_VEC(got, want);
  check::result(got);
}

TEST(axpy_unsigned_char) {
  checkIntegers<unsigned char>();
}
TEST(axpy_unsigned_short) {
  checkIntegers<unsigned short>();
}
TEST(axpy_unsigned) {
  checkIntegers<unsigned>();
}
TEST(axpy_unsigned_long_long) {
  checkIntegers<unsigned long long>();
}
