// All 198 compares, with and without EXEC, over all pairs of edge values, against this machine's own comparisons.
#include <gtest/gtest.h>

#include <cmath>

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

struct Type {
  const char* name;
  unsigned bits;
  char kind;  // f, i, u
};
const Type kTypes[] = {{"f16", 16, 'f'}, {"f32", 32, 'f'}, {"f64", 64, 'f'}, {"i16", 16, 'i'}, {"u16", 16, 'u'},
                       {"i32", 32, 'i'}, {"u32", 32, 'u'}, {"i64", 64, 'i'}, {"u64", 64, 'u'}};

std::vector<U64> edges(const Type& t) {
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
unsigned order(const Type& t, U64 a, U64 b) {
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

class Compares : public testing::TestWithParam<Type> {};

// Results of v_cmp in v10, v11, ... and of v_cmpx, which leaves its lanes in EXEC, in v30, v31, ...
TEST_P(Compares, EveryPredicate) {
  const Type& t = GetParam();
  std::vector<Predicate> predicates;
  if (t.kind == 'f') predicates.assign(std::begin(kOfFloats), std::end(kOfFloats));
  if (t.kind != 'f') predicates.assign(std::begin(kOfIntegers), std::end(kOfIntegers));
  std::string source, operands = t.bits == 64 ? " v[0:1], v[2:3]\n" : " v0, v2\n";
  for (std::size_t k = 0; k < predicates.size(); ++k) {
    std::string name = std::string(predicates[k].name) + "_" + t.name;
    source += "v_cmp_" + name + " vcc," + operands + "v_cndmask_b32 v" + std::to_string(10 + k) + ", 0, 1, vcc\n";
    source += "v_cmpx_" + name + " s[10:11]," + operands + "v_mov_b32 v" + std::to_string(30 + k) + ", 1\n";
    source += "s_mov_b64 exec, -1\n";
  }
  std::vector<std::uint32_t> code = assemble(source);
  if (code.empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
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

}  // namespace
}  // namespace hipr::softgpu
