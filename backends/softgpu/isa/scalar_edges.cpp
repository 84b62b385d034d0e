#include "backends/softgpu/isa/scalar_edges.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Before: a in s[0:1], b in s[2:3], SCC in s4, d in s[6:7], EXEC in s[8:9]. After, five registers per case from s10 on:
// the destination, EXEC, SCC.
constexpr std::size_t kCasesAtOnce = 15;
unsigned resultOf(std::size_t k) {
  return static_cast<unsigned>(10 + 6 * k);
}
std::string pairName(unsigned first) {
  return "s[" + std::to_string(first) + ":" + std::to_string(first + 1) + "]";
}
bool uses(const ScalarCase& c, char operand) {
  return c.assembly.find(operand, c.assembly.find(' ')) != std::string::npos;
}

std::string program(const std::vector<ScalarCase>& cases) {
  std::string source;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    unsigned result = resultOf(k);
    std::string name = cases[k].assembly.substr(0, cases[k].assembly.find(' ')), operands;
    for (char c : cases[k].assembly.substr(name.size())) {
      if (c == 'a') operands += "s0";
      if (c == 'b') operands += "s2";
      if (c == 'd') operands += "s" + std::to_string(result);
      if (c == 'A') operands += pairName(0);
      if (c == 'B') operands += pairName(2);
      if (c == 'D') operands += pairName(result);
      if (std::string("abdABD").find(c) == std::string::npos) operands += c;
    }
    source += "s_mov_b64 " + pairName(result) + ", s[6:7]\n s_mov_b64 exec, s[8:9]\n s_cmp_lg_u32 s4, 0\n" + name +
              operands + "\n s_cselect_b32 s" + std::to_string(result + 4) + ", 1, 0\n s_mov_b64 " +
              pairName(result + 2) + ", exec\n";
  }
  return source;
}

void check(const ScalarCase& c, const ScalarIn& full, TestWave& w, unsigned result) {
  auto operand = [&](U64 value, char narrow) { return uses(c, narrow) ? value & 0xffffffff : value; };
  ScalarIn in = {operand(full.a, 'a'), operand(full.b, 'b'), operand(full.d, 'd'), full.exec, full.scc};
  ScalarOut out = c.model(in);
  U64 d = out.d.value_or(in.d);
  // A 32-bit result leaves the register beside it alone.
  U64 expected = uses(c, 'd') ? (d & 0xffffffff) | (full.d & ~0xffffffffull) : uses(c, 'D') ? d : full.d;
  auto where = [&] {
    char text[160];
    std::snprintf(text, sizeof text, "%s a %llx b %llx d %llx scc %d", c.assembly.c_str(),
                  static_cast<unsigned long long>(in.a), static_cast<unsigned long long>(in.b),
                  static_cast<unsigned long long>(in.d), in.scc);
    return std::string(text);
  };
  ASSERT_EQ(w->pair(result), expected) << where();
  ASSERT_EQ(w->pair(result + 2), out.exec.value_or(in.exec)) << "EXEC of " << where();
  ASSERT_EQ(w->s[result + 4], U32{out.scc.value_or(in.scc)}) << "SCC of " << where();
}

}  // namespace

void compareScalars(const std::vector<ScalarCase>& all) {
  NEEDS_ASSEMBLER;
  const std::vector<U64> edges = {0,          1,          2,          31,         32,         0x7fffffff, 0x80000000,
                                  0xffffffff, 0x12345678, 0x00080004, 0x00200010, 0x89abcdef, 0x00400021};
  for (std::size_t first = 0; first < all.size(); first += kCasesAtOnce) {
    std::vector<ScalarCase> cases(all.begin() + static_cast<long>(first),
                                  all.begin() + static_cast<long>(std::min(all.size(), first + kCasesAtOnce)));
    std::vector<U32> code = assemble(program(cases));
    ASSERT_FALSE(code.empty()) << program(cases);
    TestWave w(code);
    const Inst* start = w->ip;
    for (U64 a : edges)
      for (U64 b : edges)
        for (bool scc : {false, true}) {
          ScalarIn in = {a | ~b << 32, b | a << 32, (a ^ 0xffff) | b << 32, b | ~a << 32, scc};
          w->setPair(0, in.a), w->setPair(2, in.b), w->setPair(6, in.d), w->setPair(8, in.exec);
          w->s[4] = scc;
          w->ip = start;
          ASSERT_EQ(w.run(), "");
          for (std::size_t k = 0; k < cases.size(); ++k) ASSERT_NO_FATAL_FAILURE(check(cases[k], in, w, resultOf(k)));
        }
  }
}

}  // namespace hipr::softgpu
