// The transcendental unit: how far results are from the exact ones, in units of the last place. The bounds stand in
// docs/softgpu.md.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

struct Function {
  const char* name;
  std::function<long double(long double)> exact;
  double low, high;  // of the arguments
  double bound;      // units of the last place
};

const long double kTurn = 6.283185307179586476925286766559L;
const std::vector<Function> kFunctions = {
    {"v_exp_f32", [](long double x) { return exp2l(x); }, -125, 127, 1},
    {"v_log_f32", [](long double x) { return log2l(x); }, 0x1p-120, 0x1p120, 1},
    {"v_rcp_f32", [](long double x) { return 1 / x; }, -0x1p100, 0x1p100, 0.5},
    {"v_rsq_f32", [](long double x) { return 1 / sqrtl(x); }, 0x1p-120, 0x1p120, 0.501},
    {"v_sqrt_f32", [](long double x) { return sqrtl(x); }, 0, 0x1p120, 0.5},
    {"v_sin_f32", [](long double x) { return sinl(x * kTurn); }, -256, 256, 1},
    {"v_cos_f32", [](long double x) { return cosl(x * kTurn); }, -256, 256, 1},
    {"v_rcp_f64", [](long double x) { return 1 / x; }, -0x1p900, 0x1p900, 0.501},
    {"v_rsq_f64", [](long double x) { return 1 / sqrtl(x); }, 0x1p-900, 0x1p900, 1.5},
    {"v_sqrt_f64", [](long double x) { return sqrtl(x); }, 0, 0x1p900, 0.501},
};

double ulps(long double got, long double exact, int mantissa, int lowest) {
  int exponent = exact == 0 ? lowest : std::max(ilogbl(exact), lowest);
  return static_cast<double>(fabsl(got - exact) / ldexpl(1, exponent - mantissa));
}

class Transcendental : public testing::TestWithParam<Function> {};

TEST_P(Transcendental, WithinItsBound) {
  NEEDS_ASSEMBLER;
  const Function& f = GetParam();
  bool wide = std::string(f.name).ends_with("f64");
  std::vector<std::uint32_t> code = assemble(std::string(f.name) + (wide ? " v[2:3], v[0:1]" : " v2, v0"));
  std::uint64_t state = 88172645463325252ull;
  double worst = 0;
  for (int turn = 0; turn < 200; ++turn) {
    TestWave w(code);
    double arguments[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      double unit = static_cast<double>(state >> 11) * 0x1p-53;
      // Half of the arguments spread over the exponents.
      double x = f.low + (f.high - f.low) * unit;
      if (l % 2) x = std::ldexp(x, -static_cast<int>(state % 40));
      if (x < f.low) x = f.low;
      arguments[l] = wide ? x : static_cast<float>(x);
      auto bits = std::bit_cast<std::uint64_t>(x);
      w.v(0, l) = wide ? static_cast<std::uint32_t>(bits) : std::bit_cast<std::uint32_t>(static_cast<float>(x));
      w.v(1, l) = static_cast<std::uint32_t>(bits >> 32);
    }
    ASSERT_EQ(w.run(), "");
    for (unsigned l = 0; l < kLanes; ++l) {
      double got = wide ? std::bit_cast<double>(w.v(2, l) | std::uint64_t{w.v(3, l)} << 32)
                        : double{std::bit_cast<float>(w.v(2, l))};
      long double exact = f.exact(arguments[l]);
      // Near its zeros a sine is as good as its argument: an absolute error of the argument's last place.
      if (std::string(f.name).find("sin") != std::string::npos ||
          std::string(f.name).find("cos") != std::string::npos) {
        if (fabsl(exact) < 0x1p-20L) continue;
      }
      double error = wide ? ulps(got, exact, 52, -1022) : ulps(got, exact, 23, -126);
      worst = std::max(worst, error);
      ASSERT_LE(error, f.bound) << f.name << " of " << arguments[l];
    }
  }
  RecordProperty("worst_ulp", std::to_string(worst));
  std::printf("%-12s worst %.3f ulp\n", f.name, worst);
}

INSTANTIATE_TEST_SUITE_P(All, Transcendental, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hipr::softgpu
