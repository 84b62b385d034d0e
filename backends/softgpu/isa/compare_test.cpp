// All 198 compares, with and without EXEC, over all pairs of edge values, against this machine's own comparisons.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/softgpu/isa/edge.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U64 = std::uint64_t;

// Less, equal, greater, unordered: a compare is the set of those that make it true.
enum Order : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
struct Predicate {
  const char* name;
  unsigned orders;
};
const Predicate kOfFloats[] = {{"f", 0},    {"lt", 1},   {"eq", 2},   {"le", 3},  {"gt", 4},   {"lg", 5},
                               {"ge", 6},   {"o", 7},    {"u", 8},    {"nge", 9}, {"nlg", 10}, {"ngt", 11},
                               {"nle", 12}, {"neq", 13}, {"nlt", 14}, {"tru", 15}};
const Predicate kOfIntegers[] = {{"f", 0}, {"lt", 1}, {"eq", 2}, {"le", 3}, {"gt", 4}, {"ne", 5}, {"ge", 6}, {"t", 7}};

struct Operand {
  const char* name;
  unsigned bits;
  char kind;  // f, i, u
};
const Operand kTypes[] = {{"f16", 16, 'f'}, {"f32", 32, 'f'}, {"f64", 64, 'f'}, {"i16", 16, 'i'}, {"u16", 16, 'u'},
                          {"i32", 32, 'i'}, {"u32", 32, 'u'}, {"i64", 64, 'i'}, {"u64", 64, 'u'}};

std::vector<U64> edges(const Operand& t) {
  if (t.kind != 'f') {
    U64 top = 1ull << (t.bits - 1);
    return {0, 1, top - 1, top, top + 1, 2 * top - 1, 42};
  }
  if (t.bits == 16) return {0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x7d01};
  if (t.bits == 32) return {0, 1u << 31, 1, 0x80000001, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000};
  return {0, 1ull << 63, 1, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, ~0ull};
}

double halfToDouble(U64 x) {
  int exponent = static_cast<int>(x >> 10 & 31), mantissa = static_cast<int>(x & 1023);
  double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                 : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                : std::ldexp(mantissa, -24);
  return x & 0x8000 ? -value : value;
}

template <class T>
unsigned orderOf(T a, T b) {
  return a < b ? kLess : a == b ? kEqual : a > b ? kGreater : kUnordered;
}
unsigned order(const Operand& t, U64 a, U64 b) {
  if (t.kind == 'u') return orderOf(a, b);
  if (t.kind == 'i') {
    unsigned shift = 64 - t.bits;
    return orderOf(static_cast<std::int64_t>(a << shift), static_cast<std::int64_t>(b << shift));
  }
  if (t.bits == 16) return orderOf(halfToDouble(a), halfToDouble(b));
  if (t.bits == 32)
    return orderOf(std::bit_cast<float>(static_cast<std::uint32_t>(a)),
                   std::bit_cast<float>(static_cast<std::uint32_t>(b)));
  return orderOf(std::bit_cast<double>(a), std::bit_cast<double>(b));
}

std::vector<Predicate> predicatesOf(const Operand& t) {
  if (t.kind == 'f') return {std::begin(kOfFloats), std::end(kOfFloats)};
  return {std::begin(kOfIntegers), std::end(kOfIntegers)};
}
std::vector<std::string> mnemonics() {
  std::vector<std::string> names;
  for (const Operand& t : kTypes)
    for (const Predicate& p : predicatesOf(t))
      for (const char* form : {"v_cmp_", "v_cmpx_"}) names.push_back(form + std::string(p.name) + "_" + t.name);
  return names;
}
const EdgeTested kTested(mnemonics());

class Compares : public testing::TestWithParam<Operand> {};

// Results of v_cmp in v10, v11, ... and of v_cmpx, which leaves its lanes in EXEC, in v30, v31, ...
TEST_P(Compares, EveryPredicate) {
  NEEDS_ASSEMBLER;
  const Operand& t = GetParam();
  std::vector<Predicate> predicates = predicatesOf(t);
  std::string source, operands = t.bits == 64 ? " v[0:1], v[2:3]\n" : " v0, v2\n";
  for (std::size_t k = 0; k < predicates.size(); ++k) {
    std::string name = std::string(predicates[k].name) + "_" + t.name;
    source += "v_cmp_" + name + " vcc," + operands + "v_cndmask_b32 v" + std::to_string(10 + k) + ", 0, 1, vcc\n";
    source += "v_cmpx_" + name + " s[10:11]," + operands + "v_mov_b32 v" + std::to_string(30 + k) + ", 1\n";
    source += "s_mov_b64 exec, -1\n";
  }
  std::vector<std::uint32_t> code = assemble(source);
  std::vector<U64> values = edges(t);
  for (U64 a : values) {
    TestWave w(code);
    for (unsigned l = 0; l < kLanes; ++l) {
      U64 b = values[l % values.size()];
      w.v(0, l) = static_cast<std::uint32_t>(a), w.v(1, l) = static_cast<std::uint32_t>(a >> 32);
      w.v(2, l) = static_cast<std::uint32_t>(b), w.v(3, l) = static_cast<std::uint32_t>(b >> 32);
    }
    ASSERT_EQ(w.run(), "");
    for (std::size_t k = 0; k < predicates.size(); ++k)
      for (unsigned l = 0; l < kLanes; ++l) {
        U64 b = values[l % values.size()];
        unsigned expected = (predicates[k].orders & order(t, a, b)) != 0;
        ASSERT_EQ(w.v(10 + k, l), expected)
            << "v_cmp_" << predicates[k].name << "_" << t.name << std::hex << " " << a << " " << b;
        ASSERT_EQ(w.v(30 + k, l), expected)
            << "v_cmpx_" << predicates[k].name << "_" << t.name << std::hex << " " << a << " " << b;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Compares, testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(info.param.name); });

// --- Classes, whatever MODE says of denormals: signaling and quiet NaN, then from -infinity to +infinity.

unsigned classOf(FloatFormat f, U64 x) {
  if (f.isNan(x)) return f.isSignaling(x) ? 0 : 1;
  unsigned size = f.isInfinite(x) ? 0 : f.isDenormal(x) ? 2 : f.magnitude(x) == 0 ? 3 : 1;
  return f.isNegative(x) ? 2 + size : 9 - size;
}
void addClasses(std::vector<EdgeCase>& cases, const std::string& suffix, Type t) {
  std::string operands = t == Type::kDouble ? "v[0:1], v2" : "v0, v2";
  auto expected = [=](const Sources& x, std::uint32_t) { return x[1] >> classOf(formatOf(t), x[0]) & 1; };
  cases.push_back({"v_cmp_class_" + suffix + " vcc, " + operands + "\n v_cndmask_b32 v6, 0, 1, vcc",
                   Type::kI32,
                   {t, Type::kI32},
                   expected});
  cases.push_back(
      {"v_mov_b32 v6, 0\n v_cmpx_class_" + suffix + " vcc, " + operands + "\n v_mov_b32 v6, 1\n s_mov_b64 exec, -1",
       Type::kI32,
       {t, Type::kI32},
       expected});
}
std::vector<EdgeCase> classes() {
  std::vector<EdgeCase> cases;
  addClasses(cases, "f16", Type::kHalf);
  addClasses(cases, "f32", Type::kFloat);
  addClasses(cases, "f64", Type::kDouble);
  return cases;
}
const std::vector<EdgeCase> kClasses = classes();
const EdgeTested kTestedClasses = EdgeTested::in(kClasses);

TEST(Compare, Classes) {
  std::vector<std::uint32_t> modes = everyMode();
  for (Type t : {Type::kHalf, Type::kFloat, Type::kDouble}) {
    std::vector<Sources> inputs;
    for (const Sources& x : edgeInputs({t}, true))
      for (U64 mask = 1; mask < 2048; mask *= 2) inputs.push_back({x[0], mask});
    std::vector<EdgeCase> some;
    for (const EdgeCase& c : kClasses)
      if (c.sources[0] == t) some.push_back(c);
    compareEdges(some, inputs, modes, Gpu::kGfx90a);
  }
}

}  // namespace
}  // namespace hipr::softgpu
