// Double and single precision arithmetic that IEEE 754 defines exactly: compared bit for bit with the CPU.
#include "../support.h"

#include <cmath>
#include <limits>

enum Op {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFma,
  kSqrt,
  kFloor,
  kCeil,
  kTrunc,
  kRint,
  kRound,
  kMin,
  kMax,
  kAbs,
  kCopySign,
  kOps
};

template <class T>
__host__ __device__ T apply(int op, T a, T b, T c) {
#pragma clang fp contract(off)
  switch (op) {
    case kAdd:
      return a + b;
    case kSub:
      return a - b;
    case kMul:
      return a * b;
    case kDiv:
      return a / b;
    case kFma:
      return std::fma(a, b, c);
    case kSqrt:
      return std::sqrt(a);
    case kFloor:
      return std::floor(a);
    case kCeil:
      return std::ceil(a);
    case kTrunc:
      return std::trunc(a);
    case kRint:
      return std::rint(a);
    case kRound:
      return std::round(a);
    case kMin:
      return std::fmin(a, b);
    case kMax:
      return std::fmax(a, b);
    case kAbs:
      return std::fabs(a);
    default:
      return std::copysign(a, b);
  }
}

template <class T>
__global__ void arithmetic(int op, int n, const T* a, const T* b, const T* c, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = apply(op, a[i], b[i], c[i]);
}

// Random bit patterns reach denormals, infinities and every exponent; the first entries are the special values.
template <class T, class Bits>
static std::vector<T> patterns(int n, std::uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       T(-0.0),
                       T(1),
                       T(-1),
                       T(0.5),
                       T(2.5),
                       T(-2.5),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       Limits::min(),
                       Limits::max(),
                       T(-1.5),
                       T(3),
                       T(1e10)};
  Random r(seed);
  std::vector<T> v(n);
  for (int i = 0; i < n; ++i) {
    const Bits bits = static_cast<Bits>(r.next());
    std::memcpy(&v[i], &bits, sizeof(T));
    if (i % 4 == 1) v[i] = T(r.between(-1000, 1000));
    if (v[i] != v[i]) v[i] = T(r.between(-1, 1));  // the payload of a NaN is not part of the comparison
    if (i < 256) v[i] = special[seed % 2 ? i % 16 : i / 16];
  }
  return v;
}

template <class T, class Bits>
static void checkArithmetic() {
  const int n = 2000;
  const auto a = patterns<T, Bits>(n, 51), b = patterns<T, Bits>(n, 52), c = patterns<T, Bits>(n, 53);
  Buffer<T> da(a), db(b), dc(c), out(n);
  for (int op = 0; op < kOps; ++op) {
    arithmetic<T><<<blocksFor(n, 256), 256>>>(op, n, da, db, dc, out);
    KERNEL_OK();
    auto got = out.download();
    for (int i = 0; i < n; ++i) {
      const T want = apply(op, a[i], b[i], c[i]);
      // Either zero may win a minimum, and compilers before LLVM 16 round -0 to 0.
      const bool zeroes = (op == kMin || op == kMax || op == kRound) && want == 0 && got[i] == 0;
      const bool same = std::memcmp(&want, &got[i], sizeof(T)) == 0 || (want != want && got[i] != got[i]) || zeroes;
      if (!same)
        check::fail(__FILE__, __LINE__,
                    "operation " + check::show(op) + " of " + check::show(a[i]) + ", " + check::show(b[i]) + ", " +
                        check::show(c[i]) + ": got " + check::show(got[i]) + ", want " + check::show(want));
      if (got[i] != got[i]) got[i] = 0;
    }
    check::result(got);
  }
}

TEST(arithmetic_float) {
  checkArithmetic<float, std::uint32_t>();
}
TEST(arithmetic_double) {
  checkArithmetic<double, std::uint64_t>();
}

template <class T>
__global__ void compare(const T* a, const T* b, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T x = a[i], y = b[i];
  out[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !(x < y) << 6 |
           !(x >= y) << 7 | bool(isnan(x)) << 8 | bool(isinf(x)) << 9 | bool(isfinite(x)) << 10 |
           bool(signbit(x)) << 11;
}

template <class T, class Bits>
static void checkCompare() {
  const int n = 1024;
  const auto a = patterns<T, Bits>(n, 54), b = patterns<T, Bits>(n, 55);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    const T x = a[i], y = b[i];
    want[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !(x < y) << 6 |
              !(x >= y) << 7 | std::isnan(x) << 8 | std::isinf(x) << 9 | std::isfinite(x) << 10 | std::signbit(x) << 11;
  }
  Buffer<T> da(a), db(b);
  Buffer<int> out(n);
  compare<T><<<n / 128, 128>>>(da, db, out);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

TEST(comparisons_float) {
  checkCompare<float, std::uint32_t>();
}
TEST(comparisons_double) {
  checkCompare<double, std::uint64_t>();
}

template <class T>
__global__ void scaleParts(const T* a, T* scaled, T* mantissa, int* exponent) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int e = 0;
  scaled[i] = ldexp(a[i], int(threadIdx.x) - 64);
  mantissa[i] = frexp(a[i], &e);
  exponent[i] = e;
}

template <class T>
static void checkParts() {
  const int n = 512;
  const auto a = randomVector<T>(n, 56, -1e6, 1e6);
  std::vector<T> scaled(n), mantissa(n);
  std::vector<int> exponent(n);
  for (int i = 0; i < n; ++i) {
    scaled[i] = std::ldexp(a[i], i % 128 - 64);
    mantissa[i] = std::frexp(a[i], &exponent[i]);
  }
  Buffer<T> da(a), ds(n), dm(n);
  Buffer<int> de(n);
  scaleParts<T><<<n / 128, 128>>>(da, ds, dm, de);
  KERNEL_OK();
  EXPECT_VEC(ds.download(), scaled);
  EXPECT_VEC(dm.download(), mantissa);
  EXPECT_VEC(de.download(), exponent);
  check::result(mantissa);
}

TEST(ldexp_frexp_float) {
  checkParts<float>();
}
TEST(ldexp_frexp_double) {
  checkParts<double>();
}
