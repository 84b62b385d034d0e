// Half precision and bfloat16: conversions over the whole range, scalar and packed arithmetic, exact against the CPU.
#include "../support.h"

#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>

#include "half_reference.h"

__global__ void widen(const unsigned short* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __half2float(__ushort_as_half(in[i]));
}
__global__ void narrow(const float* in, unsigned short* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __half_as_ushort(__float2half(in[i]));
}

TEST(half_to_float_of_every_value) {
  const int n = 65536;
  std::vector<unsigned short> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<unsigned short>(i);
  Buffer<unsigned short> din(in);
  Buffer<float> dout(n);
  widen<<<n / 256, 256>>>(din, dout);
  KERNEL_OK();
  auto got = dout.download();
  for (int i = 0; i < n; ++i) {
    const float want = static_cast<float>(halfToDouble(in[i]));
    const bool same = std::memcmp(&got[i], &want, 4) == 0 || (std::isnan(want) && std::isnan(got[i]));
    if (!same) check::fail(__FILE__, __LINE__, "half " + check::show(i) + " became " + check::show(got[i]));
    if (std::isnan(got[i])) got[i] = 0;
  }
  check::result(got);
}

TEST(float_to_half_rounds_to_even) {
  std::vector<float> in = {0.f,      -0.f,  1.f,           65504.f,       65519.f,        65520.f,
                           -65536.f, 1e30f, 5.9604645e-8f, 2.9802322e-8f, 2.98023221e-8f, 1e-10f};
  Random r(61);
  while (in.size() < 4096) in.push_back(static_cast<float>(std::ldexp(r.between(-2, 2), r.below(44) - 27)));
  Buffer<float> din(in);
  Buffer<unsigned short> dout(in.size());
  narrow<<<in.size() / 256, 256>>>(din, dout);
  KERNEL_OK();
  std::vector<unsigned short> want;
  for (float f : in) want.push_back(doubleToHalf(f));
  EXPECT_VEC(dout.download(), want);
  check::result(want);
}

__global__ void halfArithmetic(const unsigned short* a, const unsigned short* b, const unsigned short* c,
                               unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half x = __ushort_as_half(a[i]), y = __ushort_as_half(b[i]), z = __ushort_as_half(c[i]);
  out[i] = __half_as_ushort(__hadd(x, y));
  out[n + i] = __half_as_ushort(__hsub(x, y));
  out[2 * n + i] = __half_as_ushort(__hmul(x, y));
  out[3 * n + i] = __half_as_ushort(__hfma(x, y, z));
  out[4 * n + i] = __hlt(x, y) | __hge(x, y) << 1 | __heq(x, x) << 2;
}

__global__ void packedArithmetic(const __half2* a, const __half2* b, const __half2* c, __half2* out, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  out[i] = __hadd2(a[i], b[i]);
  out[pairs + i] = __hsub2(a[i], b[i]);
  out[2 * pairs + i] = __hmul2(a[i], b[i]);
  out[3 * pairs + i] = __hfma2(a[i], b[i], c[i]);
}

TEST(half_arithmetic) {
  const int n = 3000;
  Random r(62);
  std::vector<unsigned short> a(n), b(n), c(n), want(5 * n), got;
  for (auto* v : {&a, &b, &c})
    for (auto& h : *v) h = doubleToHalf(r.between(-60, 60));
  for (int i = 0; i < n; ++i) {
    const double x = halfToDouble(a[i]), y = halfToDouble(b[i]), z = halfToDouble(c[i]);
    want[i] = doubleToHalf(x + y);
    want[n + i] = doubleToHalf(x - y);
    want[2 * n + i] = doubleToHalf(x * y);
    want[3 * n + i] = doubleToHalf(x * y + z);  // exact in double: 22 + 11 bits, exponents close together
    want[4 * n + i] = (x < y) | (x >= y) << 1 | 4;
  }
  Buffer<unsigned short> da(a), db(b), dc(c), out(5 * n), packed(5 * n);
  halfArithmetic<<<blocksFor(n, 128), 128>>>(da, db, dc, out, n);
  packed.upload(want);
  packedArithmetic<<<blocksFor(n / 2, 128), 128>>>(
      reinterpret_cast<__half2*>(da.get()), reinterpret_cast<__half2*>(db.get()), reinterpret_cast<__half2*>(dc.get()),
      reinterpret_cast<__half2*>(packed.get()), n / 2);
  KERNEL_OK();
  got = out.download();
  EXPECT_VEC(got, want);
  check::result(got);
  EXPECT_VEC(packed.download(), want);
}

__global__ void halfDivide(const unsigned short* a, const unsigned short* b, float* quotient, float* root, float* power,
                           int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half x = __ushort_as_half(a[i]), y = __ushort_as_half(b[i]);
  quotient[i] = __half2float(__hdiv(x, y));
  root[i] = __half2float(hsqrt(y));
  power[i] = __half2float(hexp(y));
}

TEST(half_division_and_functions_are_close) {
  const int n = 1000;
  Random r(63);
  std::vector<unsigned short> a(n), b(n);
  for (auto& h : a) h = doubleToHalf(r.between(-8, 8));
  for (auto& h : b) h = doubleToHalf(r.between(0.1, 5));
  Buffer<unsigned short> da(a), db(b);
  Buffer<float> quotient(n), root(n), power(n);
  halfDivide<<<blocksFor(n, 64), 64>>>(da, db, quotient, root, power, n);
  KERNEL_OK();
  const auto q = quotient.download(), s = root.download(), p = power.download();
  for (int i = 0; i < n; ++i) {
    const double x = halfToDouble(a[i]), y = halfToDouble(b[i]);
    EXPECT_NEAR(q[i], x / y, std::fabs(x / y) * 0x1p-9 + 0x1p-24);
    EXPECT_NEAR(s[i], std::sqrt(y), std::sqrt(y) * 0x1p-9);
    EXPECT_NEAR(p[i], std::exp(y), std::exp(y) * 0x1p-9);
  }
  check::result(q);
  check::result(s);
  check::result(p);
}

__global__ void bfloatSum(const float* a, const float* b, unsigned short* out, float* back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const hip_bfloat16 x(a[i]), y(b[i]);
  const hip_bfloat16 sum = x + y, product = x * y;
  out[i] = x.data;
  out[n + i] = sum.data;
  out[2 * n + i] = product.data;
  back[i] = float(x);
}

TEST(bfloat16) {
  const int n = 2000;
  const auto a = randomVector<float>(n, 64, -1000, 1000), b = randomVector<float>(n, 65, -10, 10);
  std::vector<unsigned short> want(3 * n);
  std::vector<float> wantBack(n);
  for (int i = 0; i < n; ++i) {
    want[i] = floatToBfloat(a[i]);
    const float x = bfloatToFloat(want[i]), y = bfloatToFloat(floatToBfloat(b[i]));
    want[n + i] = floatToBfloat(x + y);
    want[2 * n + i] = floatToBfloat(x * y);
    wantBack[i] = x;
  }
  Buffer<float> da(a), db(b), back(n);
  Buffer<unsigned short> out(3 * n);
  bfloatSum<<<blocksFor(n, 256), 256>>>(da, db, out, back, n);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  EXPECT_VEC(back.download(), wantBack);
  check::result(want);
}
