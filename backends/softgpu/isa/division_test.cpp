// The division sequences compilers emit, against the host's correctly rounded division.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

constexpr const char* kDivide32 =
    "v_div_scale_f32 v10, s[0:1], v2, v2, v0\n v_div_scale_f32 v11, vcc, v0, v2, v0\n v_rcp_f32 v12, v10\n"
    "v_fma_f32 v13, -v10, v12, 1.0\n v_fma_f32 v12, v13, v12, v12\n v_mul_f32 v13, v11, v12\n"
    "v_fma_f32 v14, -v10, v13, v11\n v_fma_f32 v13, v14, v12, v13\n v_fma_f32 v14, -v10, v13, v11\n"
    "v_div_fmas_f32 v13, v14, v12, v13\n v_div_fixup_f32 v6, v13, v2, v0\n";
constexpr const char* kDivide64 =
    "v_div_scale_f64 v[10:11], s[0:1], v[2:3], v[2:3], v[0:1]\n v_rcp_f64 v[12:13], v[10:11]\n"
    "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
    "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
    "v_div_scale_f64 v[16:17], vcc, v[0:1], v[2:3], v[0:1]\n v_mul_f64 v[14:15], v[16:17], v[12:13]\n"
    "v_fma_f64 v[10:11], -v[10:11], v[14:15], v[16:17]\n v_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[14:15]\n"
    "v_div_fixup_f64 v[6:7], v[10:11], v[2:3], v[0:1]\n";

template <class F>
class Divider {
 public:
  using U = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
  Divider() : wave_(assemble(sizeof(F) == 4 ? kDivide32 : kDivide64)), start_(wave_->ip) {}

  void add(U numerator, U denominator) {
    inputs_[count_] = {numerator, denominator};
    set(0, numerator);
    set(2, denominator);
    if (++count_ == kLanes) finish();
  }
  void finish() {
    wave_->ip = start_;
    ASSERT_EQ(wave_.run(), "");
    for (unsigned l = 0; l < count_; ++l) {
      F n = std::bit_cast<F>(inputs_[l][0]), d = std::bit_cast<F>(inputs_[l][1]), quotient = n / d;
      U got = static_cast<U>(wave_.v(6, l) | (sizeof(F) == 8 ? std::uint64_t{wave_.v(7, l)} << 32 : 0));
      if (quotient != quotient)
        EXPECT_NE(std::bit_cast<F>(got), std::bit_cast<F>(got)) << n << " / " << d;
      else
        EXPECT_EQ(got, std::bit_cast<U>(quotient))
            << std::hexfloat << n << " / " << d << " gives " << std::bit_cast<F>(got);
    }
    count_ = 0;
  }

 private:
  void set(unsigned reg, std::uint64_t bits) {
    wave_.v(reg, count_) = static_cast<std::uint32_t>(bits);
    wave_.v(reg + 1, count_) = static_cast<std::uint32_t>(bits >> 32);
  }
  TestWave wave_;
  const Inst* start_;
  std::array<U, 2> inputs_[kLanes];
  unsigned count_ = 0;
};

// Exponents at both ends are where scaling happens, so half of the operands are drawn from there.
template <class F>
void divideMany(unsigned mantissaBits, unsigned exponents) {
  using U = typename Divider<F>::U;
  NEEDS_ASSEMBLER;
  Divider<F> divider;
  std::mt19937_64 random(7);
  auto operand = [&] {
    U mantissa = static_cast<U>(random()) & ((U{1} << mantissaBits) - 1);
    U exponent = static_cast<U>(random() % (exponents + 1));
    switch (random() % 6) {
      case 0:
        exponent = static_cast<U>(random() % 4);
        break;
      case 1:
        exponent = static_cast<U>(exponents - 1 - random() % 4);
        break;
      case 2:
        mantissa = random() % 2 ? 0 : mantissa & ~((U{1} << (mantissaBits - 3)) - 1);
        break;
    }
    return static_cast<U>(random() % 2) << (sizeof(F) * 8 - 1) | exponent << mantissaBits | mantissa;
  };
  for (int n = 0; n < 400000 && !testing::Test::HasFailure(); ++n) divider.add(operand(), operand());
  // Quotients near the smallest normal and among the denormals, where a second rounding would show.
  for (int n = 0; n < 400000 && !testing::Test::HasFailure(); ++n) {
    U denominator = operand();
    auto d = std::bit_cast<F>(denominator);
    F target = std::bit_cast<F>(static_cast<U>(random()) & ((U{2} << mantissaBits) - 1));
    divider.add(std::bit_cast<U>(target * d), denominator);
  }
}

TEST(Division, Float) {
  divideMany<float>(23, 255);
}
TEST(Division, Double) {
  divideMany<double>(52, 2047);
}

}  // namespace
}  // namespace hipr::softgpu
