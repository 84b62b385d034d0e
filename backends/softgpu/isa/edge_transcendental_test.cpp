// The transcendental unit on every half, and on edge values of floats and doubles: infinities, zeros, NaNs, domains,
// and what becomes of denormals. Bounds are in units of the last place; random arguments: transcendental_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/softgpu/isa/alu_model.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

struct Function {
  const char* name;
  long double (*exact)(long double);
  double bound;
  bool flushes = false;  // neither takes nor gives denormals, whatever MODE says
};

// Of turns, whose whole ones do not count; as a distance from the nearest zero, where a sine is as small as that. Past
// 256 turns they are 0 and 1.
long double sineOf(long double turns) {
  return sinl(turns * 6.283185307179586476925286766559L);
}
long double sine(long double x) {
  if (std::isinf(x)) return NAN;
  if (x == 0 || fabsl(x) > 256) return x == 0 ? x : 0;
  long double t = x - nearbyintl(x);
  return sineOf(fabsl(t) > 0.25L ? copysignl(0.5L - fabsl(t), t) : t);
}
long double cosine(long double x) {
  if (std::isinf(x)) return NAN;
  return fabsl(x) > 256 ? 1 : sineOf(0.25L - fabsl(x - nearbyintl(x)));
}
long double reciprocal(long double x) {
  return 1 / x;
}
long double reciprocalRoot(long double x) {
  return 1 / sqrtl(x);
}

const std::vector<Function> kOfHalves = {
    {"v_rcp_f16", reciprocal, 0.5}, {"v_sqrt_f16", sqrtl, 0.5},  {"v_rsq_f16", reciprocalRoot, 0.501},
    {"v_log_f16", log2l, 0.501},    {"v_exp_f16", exp2l, 0.501}, {"v_sin_f16", sine, 0.51},
    {"v_cos_f16", cosine, 0.501},
};
const std::vector<Function> kOfFloats = {
    {"v_rcp_f32", reciprocal, 0.5, true},
    {"v_rcp_iflag_f32", reciprocal, 0.5, true},
    {"v_sqrt_f32", sqrtl, 0.5, true},
    {"v_rsq_f32", reciprocalRoot, 0.501, true},
    {"v_log_f32", log2l, 1, true},
    {"v_log_legacy_f32", log2l, 1, true},
    {"v_exp_f32", exp2l, 1, true},
    {"v_exp_legacy_f32", exp2l, 1, true},
    {"v_sin_f32", sine, 1},
    {"v_cos_f32", cosine, 1},
};
const std::vector<Function> kOfDoubles = {
    {"v_rcp_f64", reciprocal, 0.501},
    {"v_sqrt_f64", sqrtl, 0.501},
    {"v_rsq_f64", reciprocalRoot, 1.5},
};

std::vector<std::string> mnemonics() {
  std::vector<std::string> names;
  for (const auto* table : {&kOfHalves, &kOfFloats, &kOfDoubles})
    for (const Function& f : *table) names.push_back(f.name);
  return names;
}
const EdgeTested kTested(mnemonics());

long double valueOf(FloatFormat f, U64 x) {
  if (f.isNan(x)) return NAN;
  if (f.isInfinite(x)) return f.isNegative(x) ? -INFINITY : INFINITY;
  int field = static_cast<int>(f.magnitude(x) >> f.mantissaBits);
  auto mantissa = static_cast<long double>(f.magnitude(x) & ((1ull << f.mantissaBits) - 1));
  if (field) mantissa += static_cast<long double>(1ull << f.mantissaBits);
  long double magnitude = ldexpl(mantissa, std::max(field, 1) - f.bias() - static_cast<int>(f.mantissaBits));
  return f.isNegative(x) ? -magnitude : magnitude;
}

void check(const Function& function, Type t, U32 mode, U64 x, U64 bits) {
  AluModel m(t, mode);
  const FloatFormat& f = m.f;
  bool noDenormals = function.flushes || m.out(1) == 0;
  long double exact = function.exact(valueOf(f, function.flushes ? m.flush(x) : m.in(x))), got = valueOf(f, bits);
  auto where = [&] {
    char text[100];
    std::snprintf(text, sizeof text, "%s of %llx in mode %x gives %llx", function.name,
                  static_cast<unsigned long long>(x), mode, static_cast<unsigned long long>(bits));
    return std::string(text);
  };
  if (std::isnan(exact)) {
    ASSERT_TRUE(std::isnan(got)) << where();
    return;
  }
  ASSERT_FALSE(std::isnan(got)) << where();
  int lowest = 1 - f.bias(), mantissa = static_cast<int>(f.mantissaBits);
  long double largest = ldexpl(2 - ldexpl(1, -mantissa - 1), f.bias());  // half a place above the largest number
  if (fabsl(exact) >= largest) exact = exact < 0 ? -INFINITY : INFINITY;
  if (noDenormals && fabsl(exact) < ldexpl(1 - ldexpl(1, -mantissa - 2), lowest)) exact = copysignl(0, exact);
  if (std::isinf(exact) || exact == 0) {
    ASSERT_EQ(got, exact) << where();
    // Which zero: of sines at whole turns nothing is said, but at zero.
    bool told = x == 0 || x == f.sign() || std::isinf(valueOf(f, x));
    ASSERT_TRUE(!told || std::signbit(got) == std::signbit(exact)) << where();
    return;
  }
  double error = static_cast<double>(fabsl(got - exact) / ldexpl(1, std::max(ilogbl(exact), lowest) - mantissa));
  ASSERT_LE(error, function.bound) << where();
}

void checkAll(const std::vector<Function>& functions, Type t, const std::vector<U64>& arguments) {
  NEEDS_ASSEMBLER;
  std::string source;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    std::string first = std::to_string(10 + 2 * k), second = std::to_string(11 + 2 * k);
    source += functions[k].name +
              (t == Type::kDouble ? " v[" + first + ":" + second + "], v[0:1]\n" : " v" + first + ", v0\n");
  }
  std::vector<U32> code = assemble(source);
  ASSERT_FALSE(code.empty()) << source;
  TestWave w(code);
  const Inst* start = w->ip;
  for (U32 mode : {0x3f0u, 0x300u})
    for (std::size_t first = 0; first < arguments.size(); first += kLanes) {
      std::size_t count = std::min<std::size_t>(kLanes, arguments.size() - first);
      for (unsigned l = 0; l < count; ++l) {
        w.v(0, l) = static_cast<U32>(arguments[first + l]);
        w.v(1, l) = static_cast<U32>(arguments[first + l] >> 32);
      }
      setMode(*w.operator->(), mode);
      w->ip = start;
      ASSERT_EQ(w.run(), "");
      for (std::size_t k = 0; k < functions.size(); ++k)
        for (unsigned l = 0; l < count; ++l) {
          auto reg = static_cast<unsigned>(10 + 2 * k);
          U64 got = (w.v(reg, l) | U64{w.v(reg + 1, l)} << 32) & maskOf(t);
          ASSERT_NO_FATAL_FAILURE(check(functions[k], t, mode, arguments[first + l], got));
        }
    }
}
std::vector<U64> edgesOf(Type t) {
  std::vector<U64> values;
  for (const Sources& x : edgeInputs({t}, true)) values.push_back(x[0]);
  return values;
}

TEST(EdgeTranscendental, EveryHalf) {
  std::vector<U64> all(65536);
  for (U64 x = 0; x < 65536; ++x) all[x] = x;
  checkAll(kOfHalves, Type::kHalf, all);
}
TEST(EdgeTranscendental, Floats) {
  std::vector<U64> values = edgesOf(Type::kFloat);
  // Around the ends of exp's range, 256 turns, a quarter of one, powers of two.
  for (U64 x : {0xc2fc0000u, 0xc2fc0001u, 0xc2fe0000u, 0xc3140000u, 0xc3158000u, 0x43000000u, 0x42ffffffu,
                0x43800000u, 0x43800001u, 0xc37fffffu, 0x3e800000u, 0xbe800000u, 0x3f000000u, 0x40000000u,
                0x3f7fffffu, 0x3f800001u, 0x7e800000u, 0x7e800001u, 0x00800001u, 0xc1200000u})
    values.push_back(x);
  checkAll(kOfFloats, Type::kFloat, values);
}
TEST(EdgeTranscendental, Doubles) {
  checkAll(kOfDoubles, Type::kDouble, edgesOf(Type::kDouble));
}

}  // namespace
}  // namespace hipr::softgpu
