// The steps of a division one by one over edge values; that they divide correctly together: division_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/softgpu/isa/alu_model.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr Type I = Type::kI32, H = Type::kHalf, F = Type::kFloat, D = Type::kDouble;

// A product of two mantissas is exact in it.
#ifdef __x86_64__
using Wide = __float128;
#else
using Wide = long double;
#endif

struct Constants {
  int scale, nearMax, tiny, underflow;
};
Constants constantsOf(Type t) {
  return t == D ? Constants{128, 768, 53, -1075} : Constants{64, 96, 23, -150};
}
int exponentField(FloatFormat f, U64 x) {
  return static_cast<int>(f.magnitude(x) >> f.mantissaBits);
}

// --- v_div_fixup: special quotients. x is quotient, denominator, numerator.

U64 fixedUp(Type t, U32 mode, const Sources& x) {
  AluModel m(t, mode);
  const FloatFormat& f = m.f;
  U64 q = m.in(x[0]), d = m.in(x[1]), n = m.in(x[2]), sign = (d ^ n) & f.sign();
  if (f.isNan(d) || f.isNan(n)) return f.nan();
  bool noD = f.magnitude(d) == 0, noN = f.magnitude(n) == 0;
  if ((noD && noN) || (f.isInfinite(d) && f.isInfinite(n))) return f.nan();
  if (noD || f.isInfinite(n)) return sign | f.infinity();
  if (noN || f.isInfinite(d)) return sign;
  if (t != H && exponentField(f, n) - exponentField(f, d) < constantsOf(t).underflow) return sign;
  return m.out(f.isNan(q) ? sign | f.infinity() : sign | f.magnitude(q));
}
EdgeCase fixup(const char* assembly, Type t) {
  return {assembly, t, {t, t, t}, [=](const Sources& x, U32 mode) { return fixedUp(t, mode, x); }};
}
const std::vector<EdgeCase> kFixups = {
    fixup("v_div_fixup_f32 v6, v0, v2, v4", F),
    fixup("v_div_fixup_f64 v[6:7], v[0:1], v[2:3], v[4:5]", D),
    fixup("v_div_fixup_f16 v6, v0, v2, v4", H),
    fixup("v_div_fixup_legacy_f16 v6, v0, v2, v4", H),
};

// --- v_div_fmas: a fused multiply-add; where VCC is set, scaled up or down as the addend is large or small.

EdgeCase fmas(const std::string& assembly, Type t, bool scaled) {
  std::string text = std::string("s_mov_b64 vcc, ") + (scaled ? "-1" : "0") + "\n " + assembly;
  return {
      text, t, {t, t, t}, [=](const Sources& x, U32 mode) {
        AluModel m(t, mode);
        U64 a = m.in(x[0]), b = m.in(x[1]), c = m.in(x[2]), plain = exactFma(m.f, a, b, c, m.rounding());
        if (!scaled || m.f.isNan(plain) || m.f.isInfinite(plain)) return m.out(plain);
        U64 two = m.f.one() + (1ull << m.f.mantissaBits);
        int scale = exactCompare(m.f, m.f.magnitude(c), two) >= 0 ? constantsOf(t).scale : -constantsOf(t).scale;
        return m.out(
            Exact::product(m.f, a, b).plus(Exact::of(m.f, c), m.rounding()).scaled(scale).rounded(m.f, m.rounding()));
      }};
}
const std::vector<EdgeCase> kPlainFmas = {
    fmas("v_div_fmas_f32 v6, v0, v2, v4", F, false),
    fmas("v_div_fmas_f64 v[6:7], v[0:1], v[2:3], v[4:5]", D, false),
};
const std::vector<EdgeCase> kScaledFmas = {
    fmas("v_div_fmas_f32 v6, v0, v2, v4", F, true),
    fmas("v_div_fmas_f64 v[6:7], v[0:1], v[2:3], v[4:5]", D, true),
};

// --- v_div_scale: x is denominator and numerator; the first source is one of them.

struct Scaled {
  U64 value;
  bool flag;
};
Wide valueOf(FloatFormat f, U64 x) {
  auto mantissa = static_cast<long double>(f.magnitude(x) & ((1ull << f.mantissaBits) - 1));
  int field = exponentField(f, x), exponent = std::max(field, 1) - f.bias() - static_cast<int>(f.mantissaBits);
  if (field) mantissa += static_cast<long double>(1ull << f.mantissaBits);
  return Wide{std::ldexp(mantissa, exponent)};
}
Scaled scaled(Type t, U64 d, U64 n, bool ofDenominator) {
  FloatFormat f = formatOf(t);
  Constants k = constantsOf(t);
  if (f.magnitude(d) == 0 || f.magnitude(n) == 0) return {f.nan(), false};
  U64 x = ofDenominator ? d : n;
  bool isD = exactCompare(f, x, d) == 0, isN = exactCompare(f, x, n) == 0;
  auto by = [&](bool really, int power) { return really ? exactScale(f, x, power, Rounding::kNearestEven) : x; };
  if (exponentField(f, n) - exponentField(f, d) >= k.nearMax) return {by(isD, k.scale), true};
  if (exponentField(f, d) == 0) return {by(true, k.scale), false};
  bool numbers = exponentField(f, d) < 2 * f.bias() + 1 && exponentField(f, n) < 2 * f.bias() + 1;
  // 1/d is denormal past 2^126 (2^1022); n/d is where it rounds to less than the smallest normal number.
  U64 largest = static_cast<U64>(2 * f.bias() - 1) << f.mantissaBits;
  bool noReciprocal = exactCompare(f, f.magnitude(d), largest) == 1;
  Wide normal = Wide{std::ldexp(1.0L, 1 - f.bias())},
       half = Wide{std::ldexp(1.0L, -f.bias() - static_cast<int>(f.mantissaBits))};
  bool smallQuotient = numbers && valueOf(f, n) < valueOf(f, d) * (normal - half);
  smallQuotient |= f.isInfinite(d) && !f.isNan(n) && !f.isInfinite(n);
  if (noReciprocal && smallQuotient) return {by(isD, -k.scale), true};
  if (noReciprocal) return {by(true, -k.scale), false};
  if (smallQuotient) return {by(isN, k.scale), true};
  return {by(exponentField(f, n) <= k.tiny, k.scale), false};
}
// Both of the instructions of a division, and the flag.
void addScales(std::vector<EdgeCase>& cases, Type t) {
  std::string name = t == D ? "v_div_scale_f64 " : "v_div_scale_f32 ";
  std::string result = t == D ? "v[6:7]" : "v6", d = t == D ? "v[0:1]" : "v0", n = t == D ? "v[2:3]" : "v2";
  for (bool ofDenominator : {true, false}) {
    std::string operands = ", vcc, " + (ofDenominator ? d : n) + ", " + d + ", " + n;
    cases.push_back({name + result + operands, t, {t, t}, [=](const Sources& x, U32) {
                       return scaled(t, x[0], x[1], ofDenominator).value;
                     }});
    cases.push_back(
        {name + "v[240:241]" + operands + "\n v_cndmask_b32 v6, 0, 1, vcc", I, {t, t}, [=](const Sources& x, U32) {
           return U64{scaled(t, x[0], x[1], ofDenominator).flag};
         }});
    if (t == F) cases.back().assembly.replace(name.size(), 10, "v240");
  }
}
std::vector<EdgeCase> scales() {
  std::vector<EdgeCase> cases;
  addScales(cases, F);
  addScales(cases, D);
  return cases;
}
const std::vector<EdgeCase> kScales = scales();

const EdgeTested kTested[] = {EdgeTested::in(kFixups), EdgeTested::in(kPlainFmas), EdgeTested::in(kScales)};

TEST(EdgeDivision, Fixup) {
  compareEdges(kFixups, mainModes());
}
TEST(EdgeDivision, Fmas) {
  compareEdges(kPlainFmas, mainModes());
  compareEdges(kScaledFmas, {kUsualMode});
}
TEST(EdgeDivision, Scale) {
  compareEdges(kScales, {kUsualMode});
}

}  // namespace
}  // namespace hipr::softgpu
