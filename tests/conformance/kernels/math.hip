// Transcendental functions in float and double against the CPU's long double, within the error bounds of the HIP manual
// (those of OpenCL's full profile), and the fast intrinsics within looser ones.
#include "../support.h"

#include <cmath>

// clang-format off
#define FUNCTIONS(X) \
  X(sin, -20, 20, 4)    X(cos, -20, 20, 4)    X(tan, -1.5, 1.5, 5)   X(asin, -1, 1, 4)     X(acos, -1, 1, 4) \
  X(atan, -50, 50, 5)   X(sinh, -5, 5, 4)     X(cosh, -5, 5, 4)      X(tanh, -5, 5, 5)     X(asinh, -20, 20, 4) \
  X(acosh, 1, 20, 4)    X(atanh, -0.99, 0.99, 5)                     X(exp, -20, 20, 3)    X(exp2, -20, 20, 3) \
  X(expm1, -5, 5, 3)    X(log, 1e-6, 1e6, 3)  X(log2, 1e-6, 1e6, 3)  X(log10, 1e-6, 1e6, 3) \
  X(log1p, -0.9, 10, 3) X(sqrt, 0, 1e6, 1)    X(cbrt, -1e6, 1e6, 2)  X(erf, -4, 4, 16)     X(erfc, -2, 4, 16) \
  X(tgamma, 0.5, 10, 16)
// clang-format on

enum Function {
#define X(NAME, LOW, HIGH, ULP) k_##NAME,
  FUNCTIONS(X)
#undef X
      kCount
};

template <class T>
__device__ T evaluate(int f, T v) {
  switch (f) {
#define X(NAME, LOW, HIGH, ULP) \
  case k_##NAME:                \
    return std::NAME(v);
    FUNCTIONS(X)
#undef X
  }
  return 0;
}

template <class T>
__global__ void functions(int f, const T* in, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = evaluate(f, in[i]);
}

// Distance in units of the last place of the exact value, counted at no less than the smallest normal number.
template <class T>
static double ulps(T got, long double exact) {
  if (std::isnan(got) && std::isnan(exact)) return 0;
  const T rounded = static_cast<T>(exact);
  if (got == rounded) return 0;
  const T magnitude = std::max(std::fabs(rounded), std::numeric_limits<T>::min());
  const long double unit = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return static_cast<double>(std::fabs((static_cast<long double>(got) - exact) / unit));
}

template <class T>
static void checkFunction(int f, const char* name, double low, double high, double bound,
                          long double (*exact)(long double)) {
  const int n = 512;
  const auto in = randomVector<T>(n, 71 + f, low, high);
  Buffer<T> din(in), dout(n);
  functions<T><<<n / 256, 256>>>(f, din, dout);
  KERNEL_OK();
  const auto got = dout.download();
  double worst = 0;
  int at = 0;
  for (int i = 0; i < n; ++i) {
    const double d = ulps(got[i], exact(in[i]));
    if (!(d <= worst)) worst = d, at = i;
  }
  if (!(worst <= bound))
    check::fail(__FILE__, __LINE__,
                std::string(name) + "(" + check::show(in[at]) + ") = " + check::show(got[at]) + " is " +
                    check::show(worst) + " ulp off, allowed " + check::show(bound));
  check::result(got);
}

template <class T>
static void checkFunctions(){
#define X(NAME, LOW, HIGH, ULP) \
  checkFunction<T>(k_##NAME, #NAME, LOW, HIGH, ULP, [](long double v) -> long double { return std::NAME(v); });
    FUNCTIONS(X)
#undef X
}

TEST(functions_float) {
  checkFunctions<float>();
}
TEST(functions_double) {
  checkFunctions<double>();
}

template <class T>
__global__ void twoArguments(const T* a, const T* b, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = std::pow(a[i], b[i]);
  out[n + i] = std::atan2(b[i], a[i]);
  out[2 * n + i] = std::hypot(a[i], b[i]);
  out[3 * n + i] = std::fmod(a[i], b[i]);
  out[4 * n + i] = std::remainder(a[i], b[i]);
  out[5 * n + i] = std::fdim(a[i], b[i]);
}

template <class T>
static void checkTwoArguments() {
  const int n = 400;
  const auto a = randomVector<T>(n, 101, 0.01, 30), b = randomVector<T>(n, 102, -8, 8);
  Buffer<T> da(a), db(b), dout(6 * n);
  twoArguments<T><<<blocksFor(n, 128), 128>>>(da, db, dout, n);
  KERNEL_OK();
  const auto got = dout.download();
  for (int i = 0; i < n; ++i) {
    const long double x = a[i], y = b[i];
    EXPECT(ulps(got[i], std::pow(x, y)) <= 16);
    EXPECT(ulps(got[n + i], std::atan2(y, x)) <= 6);
    EXPECT(ulps(got[2 * n + i], std::hypot(x, y)) <= 4);
    EXPECT_EQ(got[3 * n + i], std::fmod(a[i], b[i]));
    EXPECT_EQ(got[4 * n + i], std::remainder(a[i], b[i]));
    EXPECT_EQ(got[5 * n + i], std::fdim(a[i], b[i]));
  }
  check::result(got);
}

TEST(two_arguments_float) {
  checkTwoArguments<float>();
}
TEST(two_arguments_double) {
  checkTwoArguments<double>();
}

__global__ void intrinsics(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = in[i];
  out[i] = __sinf(v);
  out[n + i] = __cosf(v);
  out[2 * n + i] = __expf(v);
  out[3 * n + i] = __logf(v + 4);
  out[4 * n + i] = __frsqrt_rn(v + 4);
  out[5 * n + i] = __frcp_rn(v + 4);
  float s, c;
  sincosf(v, &s, &c);
  out[6 * n + i] = s;
  out[7 * n + i] = c;
}

TEST(intrinsics) {
  const int n = 500;
  const auto in = randomVector<float>(n, 103, -3, 3);
  Buffer<float> din(in), dout(8 * n);
  intrinsics<<<blocksFor(n, 64), 64>>>(din, dout, n);
  KERNEL_OK();
  const auto got = dout.download();
  for (int i = 0; i < n; ++i) {
    const double v = in[i];
    EXPECT_NEAR(got[i], std::sin(v), 2e-6);
    EXPECT_NEAR(got[n + i], std::cos(v), 2e-6);
    EXPECT_NEAR(got[2 * n + i], std::exp(v), std::exp(v) * 1e-6);
    EXPECT_NEAR(got[3 * n + i], std::log(v + 4), 1e-6);
    EXPECT_NEAR(got[4 * n + i], 1 / std::sqrt(v + 4), 1e-6);
    EXPECT_NEAR(got[5 * n + i], 1 / (v + 4), 1e-6);
    EXPECT_NEAR(got[6 * n + i], std::sin(v), 1e-6);
    EXPECT_NEAR(got[7 * n + i], std::cos(v), 1e-6);
  }
  check::result(got);
}
