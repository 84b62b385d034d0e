// Packed, mixed precision and dot product instructions over edge values: both halves of every result, with op_sel, neg
// and clamp, against exact arithmetic.
#include <gtest/gtest.h>

#include "backends/softgpu/isa/alu_model.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;

constexpr Type S = Type::kI16, I = Type::kI32, H = Type::kHalf, F = Type::kFloat;

// Bits of op_sel, op_sel_hi, neg_lo and neg_hi, one per source.
struct Select {
  unsigned low = 0, high = 7, negateLow = 0, negateHigh = 0;
  bool clamp = false;

  std::string text(std::size_t sources) const {
    auto list = [&](const char* name, unsigned bits) {
      std::string all = std::string(" ") + name + ":[";
      for (unsigned k = 0; k < sources; ++k) all += (k ? "," : "") + std::to_string(bits >> k & 1);
      return all + "]";
    };
    return list("op_sel", low) + list("op_sel_hi", high) + (negateLow ? list("neg_lo", negateLow) : "") +
           (negateHigh ? list("neg_hi", negateHigh) : "") + (clamp ? " clamp" : "");
  }
};

using Model = std::function<U64(const AluModel&, const Sources& parts)>;

// One case for each half of the result. Sources are words of two halves or pairs of two floats.
void addPacked(std::vector<EdgeCase>& cases, const std::string& name, Type t, std::size_t sources, const Select& select,
               const Model& model) {
  unsigned bits = t == F ? 32 : 16;
  auto registers = [&](unsigned k) {
    return t == F ? "v[" + std::to_string(2 * k) + ":" + std::to_string(2 * k + 1) + "]" : "v" + std::to_string(2 * k);
  };
  std::string text = name + (t == F ? " v[240:241]" : " v6");
  for (unsigned k = 0; k < sources; ++k) text += ", " + registers(k);
  text += select.text(sources);
  for (bool high : {false, true}) {
    auto expected = [=](const Sources& x, U32 mode) {
      AluModel m(isFloatType(t) ? t : H, mode);
      Sources parts;
      for (unsigned k = 0; k < sources; ++k) {
        bool upper = (high ? select.high : select.low) >> k & 1;
        bool negate = (high ? select.negateHigh : select.negateLow) >> k & 1;
        parts.push_back((x[k] >> (upper ? bits : 0) & maskOf(t)) ^ (negate ? m.f.sign() : 0));
      }
      U64 r = model(m, parts);
      return isFloatType(t) && select.clamp ? m.out(m.clamp(r)) : r;
    };
    std::string fetch = t == F ? std::string("\n v_mov_b32 v6, v") + (high ? "241" : "240")
                               : std::string(high ? "\n v_lshrrev_b32 v6, 16, v6" : "");
    cases.push_back({text + fetch, t, std::vector<Type>(sources, t), expected});
  }
}

// Edge values in both parts, not the same ones.
std::vector<Sources> packedInputs(Type t, std::size_t sources) {
  std::vector<Sources> edges = edgeInputs(std::vector<Type>(sources, t), true), all = edges;
  for (std::size_t n = 0; n < all.size(); ++n)
    for (std::size_t k = 0; k < sources; ++k) all[n][k] |= edges[(7 * n + 3) % edges.size()][k] << (t == F ? 32 : 16);
  return all;
}

I64 sext(U64 x, int bits) {
  return static_cast<I64>(x << (64 - bits)) >> (64 - bits);
}
U64 limited(I64 x, I64 low, I64 high) {
  return static_cast<U64>(std::min(std::max(x, low), high));
}

U64 add(const AluModel& m, const Sources& x) {
  return m.add(x[0], x[1]);
}
U64 multiply(const AluModel& m, const Sources& x) {
  return m.multiply(x[0], x[1]);
}
U64 fma(const AluModel& m, const Sources& x) {
  return m.fma(x[0], x[1], x[2]);
}

const std::vector<Select> kSelects = {{}, {3, 4, 1, 2, false}, {5, 2, 6, 5, true}};

std::vector<EdgeCase> floatPairs(Type t) {
  std::vector<EdgeCase> cases;
  std::string suffix = t == F ? "_f32" : "_f16";
  for (const Select& s : kSelects) {
    addPacked(cases, "v_pk_add" + suffix, t, 2, s, add);
    addPacked(cases, "v_pk_mul" + suffix, t, 2, s, multiply);
    if (t == F) continue;
    addPacked(cases, "v_pk_min_f16", t, 2, s, [](const AluModel& m, const Sources& x) { return m.min(x[0], x[1]); });
    addPacked(cases, "v_pk_max_f16", t, 2, s, [](const AluModel& m, const Sources& x) { return m.max(x[0], x[1]); });
  }
  return cases;
}
std::vector<EdgeCase> floatTriples(Type t) {
  std::vector<EdgeCase> cases;
  for (const Select& s : kSelects) addPacked(cases, t == F ? "v_pk_fma_f32" : "v_pk_fma_f16", t, 3, s, fma);
  if (t == F) return cases;
  for (unsigned shift : {0u, 16u})
    cases.push_back(
        {std::string("v_mov_b32 v6, v4\n v_pk_fmac_f16 v6, v0, v2") + (shift ? "\n v_lshrrev_b32 v6, 16, v6" : ""),
         H,
         {H, H, H},
         [=](const Sources& x, U32 mode) {
           auto part = [&](unsigned k) { return x[k] >> shift & 0xffff; };
           return AluModel(H, mode).fma(part(0), part(1), part(2));
         }});
  return cases;
}

// Integers wrap, or saturate with clamp.
void addIntegers(std::vector<EdgeCase>& cases, const char* name, bool isSigned, std::size_t sources, bool saturates,
                 I64 (*exact)(const I64* x)) {
  for (Select s : kSelects) {
    s.negateLow = s.negateHigh = 0;
    if (!saturates) s.clamp = false;
    addPacked(cases, name, S, sources, s, [=](const AluModel&, const Sources& x) {
      I64 values[3] = {};
      for (std::size_t k = 0; k < sources; ++k) values[k] = isSigned ? sext(x[k], 16) : static_cast<I64>(x[k]);
      I64 r = exact(values);
      if (!s.clamp) return static_cast<U64>(r);
      return isSigned ? limited(r, -32768, 32767) : limited(r, 0, 65535);
    });
  }
}
std::vector<EdgeCase> integerPairs() {
  std::vector<EdgeCase> c;
  addIntegers(c, "v_pk_mul_lo_u16", false, 2, false, [](const I64* x) { return x[0] * x[1]; });
  addIntegers(c, "v_pk_add_i16", true, 2, true, [](const I64* x) { return x[0] + x[1]; });
  addIntegers(c, "v_pk_sub_i16", true, 2, true, [](const I64* x) { return x[0] - x[1]; });
  addIntegers(c, "v_pk_add_u16", false, 2, true, [](const I64* x) { return x[0] + x[1]; });
  addIntegers(c, "v_pk_sub_u16", false, 2, true, [](const I64* x) { return x[0] - x[1]; });
  addIntegers(c, "v_pk_lshlrev_b16", false, 2, false, [](const I64* x) { return x[1] << (x[0] & 15); });
  addIntegers(c, "v_pk_lshrrev_b16", false, 2, false, [](const I64* x) { return x[1] >> (x[0] & 15); });
  addIntegers(c, "v_pk_ashrrev_i16", true, 2, false, [](const I64* x) { return x[1] >> (x[0] & 15); });
  addIntegers(c, "v_pk_max_i16", true, 2, false, [](const I64* x) { return std::max(x[0], x[1]); });
  addIntegers(c, "v_pk_min_i16", true, 2, false, [](const I64* x) { return std::min(x[0], x[1]); });
  addIntegers(c, "v_pk_max_u16", false, 2, false, [](const I64* x) { return std::max(x[0], x[1]); });
  addIntegers(c, "v_pk_min_u16", false, 2, false, [](const I64* x) { return std::min(x[0], x[1]); });
  return c;
}
std::vector<EdgeCase> integerTriples() {
  std::vector<EdgeCase> c;
  addIntegers(c, "v_pk_mad_i16", true, 3, true, [](const I64* x) { return x[0] * x[1] + x[2]; });
  addIntegers(c, "v_pk_mad_u16", false, 3, true, [](const I64* x) { return x[0] * x[1] + x[2]; });
  return c;
}

// --- Dot products. Of halves: products are exact, the two sums round to nearest one after the other; CDNA2 has no
// denormals in it.

U64 dotHalves(U64 a, U64 b, U64 c, U32 mode) {
  AluModel half(H, mode);
  auto part = [&](U64 x, unsigned shift) {
    return exactConvert(half.f, kFloatFormat, half.in(x >> shift & 0xffff), Rounding::kNearestEven);
  };
  for (unsigned shift : {0u, 16u})
    c = exactFma(kFloatFormat, part(a, shift), part(b, shift), c, Rounding::kNearestEven);
  return c;
}
EdgeCase dotOfHalves(const char* assembly, bool denormals, U64 flipA = 0, bool clamp = false) {
  return {assembly, F, {H, H, F}, [=](const Sources& x, U32 mode) {
            AluModel m(F, denormals ? mode : mode & ~0xf0u);
            U64 r = dotHalves(x[0] ^ flipA, x[1], x[2], denormals ? mode : mode & ~0xf0u);
            return m.out(clamp ? m.clamp(r) : r);
          }};
}
const std::vector<EdgeCase> kDotHalves90a = {
    dotOfHalves("v_dot2_f32_f16 v6, v0, v2, v4", false),
    dotOfHalves("v_dot2_f32_f16 v6, v0, v2, v4 neg_lo:[1,0,0] neg_hi:[1,0,0]", false, 0x80008000),
    dotOfHalves("v_dot2_f32_f16 v6, v0, v2, v4 clamp", false, 0, true),
    dotOfHalves("v_mov_b32 v6, v4\n v_dot2c_f32_f16 v6, v0, v2", false),
};
const std::vector<EdgeCase> kDotHalves942 = {
    dotOfHalves("v_dot2_f32_f16 v6, v0, v2, v4", true),
    dotOfHalves("v_mov_b32 v6, v4\n v_dot2c_f32_f16 v6, v0, v2", true),
};

EdgeCase dotOfIntegers(const std::string& assembly, int bits, bool isSigned, bool clamp) {
  return {assembly + (clamp ? " clamp" : ""), I, {I, I, I}, [=](const Sources& x, U32) {
            I64 sum = isSigned ? sext(x[2], 32) : static_cast<I64>(x[2]);
            for (int at = 0; at < 32; at += bits) {
              auto field = [&](U64 word) {
                U64 f = word >> at & ((1ull << bits) - 1);
                return isSigned ? sext(f, bits) : static_cast<I64>(f);
              };
              sum += field(x[0]) * field(x[1]);
            }
            if (!clamp) return static_cast<U64>(sum);
            return isSigned ? limited(sum, INT32_MIN, INT32_MAX) : limited(sum, 0, UINT32_MAX);
          }};
}
std::vector<EdgeCase> integerDots() {
  std::vector<EdgeCase> c;
  for (bool clamp : {false, true}) {
    c.push_back(dotOfIntegers("v_dot2_i32_i16 v6, v0, v2, v4", 16, true, clamp));
    c.push_back(dotOfIntegers("v_dot2_u32_u16 v6, v0, v2, v4", 16, false, clamp));
    c.push_back(dotOfIntegers("v_dot4_i32_i8 v6, v0, v2, v4", 8, true, clamp));
    c.push_back(dotOfIntegers("v_dot4_u32_u8 v6, v0, v2, v4", 8, false, clamp));
    c.push_back(dotOfIntegers("v_dot8_i32_i4 v6, v0, v2, v4", 4, true, clamp));
    c.push_back(dotOfIntegers("v_dot8_u32_u4 v6, v0, v2, v4", 4, false, clamp));
    c.push_back(dotOfIntegers("v_mov_b32 v6, v4\n v_dot2c_i32_i16_e64 v6, v0, v2", 16, true, clamp));
    c.push_back(dotOfIntegers("v_mov_b32 v6, v4\n v_dot4c_i32_i8_e64 v6, v0, v2", 8, true, clamp));
    c.push_back(dotOfIntegers("v_mov_b32 v6, v4\n v_dot8c_i32_i4_e64 v6, v0, v2", 4, true, clamp));
  }
  return c;
}

// --- Mixed precision: op_sel_hi makes a source a half, which op_sel picks.

struct Mix {
  unsigned halves, upper, absolute, negate;
};
U64 mixed(const Mix& mix, const Sources& x, U32 mode) {
  AluModel half(H, mode), single(F, mode);
  U64 s[3];
  for (unsigned k = 0; k < 3; ++k) {
    U64 h = x[k] >> (mix.upper >> k & 1 ? 16 : 0) & 0xffff;
    s[k] = mix.halves >> k & 1 ? exactConvert(half.f, single.f, half.in(h), Rounding::kNearestEven) : single.in(x[k]);
    if (mix.absolute >> k & 1) s[k] = single.f.magnitude(s[k]);
    if (mix.negate >> k & 1) s[k] ^= single.f.sign();
  }
  return exactFma(single.f, s[0], s[1], s[2], single.rounding());
}
std::vector<EdgeCase> mixedCases() {
  std::vector<EdgeCase> cases;
  for (const Mix& mix : {Mix{0, 0, 0, 0}, Mix{7, 0, 0, 0}, Mix{7, 5, 2, 1}, Mix{1, 1, 1, 6}, Mix{6, 2, 4, 7}})
    for (bool clamp : {false, true}) {
      std::string operands;
      for (unsigned k = 0; k < 3; ++k) {
        bool abs = mix.absolute >> k & 1;
        operands += std::string(", ") + (mix.negate >> k & 1 ? "-" : "") + (abs ? "|v" : "v") + std::to_string(2 * k) +
                    (abs ? "|" : "");
      }
      operands += Select{mix.upper, mix.halves, 0, 0, clamp}.text(3);
      cases.push_back({"v_fma_mix_f32 v6" + operands, F, {I, I, I}, [=](const Sources& x, U32 mode) {
                         AluModel m(F, mode);
                         U64 r = mixed(mix, x, mode);
                         return m.out(clamp ? m.clamp(r) : r);
                       }});
      auto toHalf = [=](const Sources& x, U32 mode) {
        AluModel m(H, mode);
        U64 r = exactConvert(kFloatFormat, m.f, mixed(mix, x, mode), m.rounding());
        return m.out(clamp ? m.clamp(r) : r);
      };
      cases.push_back({"v_fma_mixlo_f16 v6" + operands, H, {I, I, I}, toHalf});
      cases.push_back({"v_fma_mixhi_f16 v6" + operands + "\n v_lshrrev_b32 v6, 16, v6", H, {I, I, I}, toHalf});
    }
  return cases;
}
// Each source now a float, now two halves.
std::vector<Sources> mixedInputs() {
  std::vector<Sources> floats = edgeInputs({F, F, F}, true), all = packedInputs(H, 3);
  for (std::size_t n = 0; n < all.size(); ++n)
    for (unsigned k = 0; k < 3; ++k)
      if (n >> k & 1) all[n][k] = floats[n % floats.size()][k];
  return all;
}

const std::vector<EdgeCase> kMixed = mixedCases();
const std::vector<EdgeCase> kIntegerDots = integerDots();
const EdgeTested kTested[] = {
    EdgeTested::in(floatPairs(F)),   EdgeTested::in(floatPairs(H)),  EdgeTested::in(floatTriples(F)),
    EdgeTested::in(floatTriples(H)), EdgeTested::in(integerPairs()), EdgeTested::in(integerTriples()),
    EdgeTested::in(kDotHalves90a),   EdgeTested::in(kIntegerDots),   EdgeTested::in(kMixed)};

TEST(EdgePacked, Halves) {
  compareEdges(floatPairs(H), packedInputs(H, 2), everyMode(), Gpu::kGfx90a);
  compareEdges(floatTriples(H), packedInputs(H, 3), mainModes(), Gpu::kGfx90a);
}
TEST(EdgePacked, Floats) {
  compareEdges(floatPairs(F), packedInputs(F, 2), mainModes(), Gpu::kGfx90a);
  compareEdges(floatTriples(F), packedInputs(F, 3), mainModes(), Gpu::kGfx90a);
}
TEST(EdgePacked, Integers) {
  compareEdges(integerPairs(), packedInputs(S, 2), {kUsualMode}, Gpu::kGfx90a);
  compareEdges(integerTriples(), packedInputs(S, 3), {kUsualMode}, Gpu::kGfx90a);
}
TEST(EdgePacked, DotProducts) {
  std::vector<Sources> inputs = packedInputs(H, 3);
  std::vector<Sources> floats = edgeInputs({F}, true);
  for (std::size_t n = 0; n < inputs.size(); ++n) inputs[n][2] = floats[n % floats.size()][0];
  compareEdges(kDotHalves90a, inputs, mainModes(), Gpu::kGfx90a);
  compareEdges(kDotHalves942, inputs, mainModes(), Gpu::kGfx942);
  compareEdges(kIntegerDots, edgeInputs({I, I, I}, false), {kUsualMode}, Gpu::kGfx90a);
}
TEST(EdgePacked, MixedPrecision) {
  std::vector<U32> modes = mainModes();
  modes.insert(modes.end(), {0x3f1, 0x3f8, 0x3c0, 0x330, 0x0f0});
  compareEdges(kMixed, mixedInputs(), modes, Gpu::kGfx90a);
}

}  // namespace
}  // namespace hipr::softgpu
