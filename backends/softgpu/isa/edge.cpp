#include "backends/softgpu/isa/edge.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Three sources get fewer values each.
std::vector<U64> values(Type t, bool few, bool signaling) {
  std::vector<U64> v;
  switch (t) {
    case Type::kI16:
      return {0, 1, 7, 0x7fff, 0x8000, 0xffff, 0x1234};
    case Type::kI32:
      if (few) return {0, 1, 5, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff, 0x0c0d0b08, 0x01020307};
      return {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 0xfedcba98, 0x00ff8000};
    case Type::kI64:
      return {0, 1, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, 0x123456789abcdef0};
    case Type::kHalf:
      v = {0, 0x8000, 1, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0x1001};
      if (!few) v.insert(v.end(), {0x13ff, 0x9001, 0x3801, 0x4bff, 0x6400});
      break;
    case Type::kFloat:
      v = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x3f800000, 0xbf800000,
           0x3eaaaaab, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x4b7fffff};
      if (!few) v.insert(v.end(), {0x33800001, 0xb3800000, 0x1fb504f3, 0x477ff000, 0xc7000001, 0x387fe000, 0x33000001});
      break;
    case Type::kDouble:
      v = {0,
           0x8000000000000000,
           1,
           0x800fffffffffffff,
           0x0010000000000000,
           0x3ff0000000000000,
           0xbff0000000000000,
           0x3fd5555555555555,
           0x7fefffffffffffff,
           0x7ff0000000000000,
           0xfff0000000000000,
           0x7ff8000000000001,
           0x40c3880000000001};
      if (!few) v.insert(v.end(), {0x3ca0000000000001, 0x1ff6a09e667f3bcd, 0x41efffffffe00001, 0xc1e0000000200000});
      break;
  }
  FloatFormat f = formatOf(t);
  if (signaling) v.insert(v.end(), {f.infinity() | 1, f.sign() | f.infinity() | 3});
  return v;
}

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Each case's result in registers of its own.
constexpr std::size_t kCasesAtOnce = 100;
unsigned resultOf(std::size_t k) {
  return static_cast<unsigned>(8 + 2 * k);
}
std::string program(const std::vector<EdgeCase>& cases) {
  std::string source;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    std::string text = cases[k].assembly, first = std::to_string(resultOf(k));
    replaceAll(text, "v[6:7]", "v[" + first + ":" + std::to_string(resultOf(k) + 1) + "]");
    replaceAll(text, "v6", "v" + first);
    source += text + "\n";
  }
  return source;
}

void checkLane(const EdgeCase& c, const Sources& x, U32 mode, U64 got) {
  std::optional<U64> opinion = c.expected(x, mode);
  if (!opinion) return;
  U64 expected = *opinion & maskOf(c.result);
  got &= maskOf(c.result);
  if (got == expected) return;
  FloatFormat f = formatOf(c.result);
  // Which NaN it is, is open (docs/softgpu.md).
  if (isFloatType(c.result) && f.isNan(got) && f.isNan(expected)) return;
  std::ostringstream input;
  for (U64 s : x) input << std::hex << " " << s;
  FAIL() << c.assembly << std::hex << " of" << input.str() << " in mode " << mode << " gives " << got << ", not "
         << expected;
}

void compareSome(const std::vector<EdgeCase>& cases, const std::vector<Sources>& inputs, const std::vector<U32>& modes,
                 Gpu gpu) {
  std::vector<U32> code = assemble(program(cases), gpu == Gpu::kGfx90a ? "gfx90a" : "gfx942");
  ASSERT_FALSE(code.empty()) << program(cases);
  TestWave w(code, gpu);
  const Inst* start = w->ip;
  for (std::size_t first = 0; first < inputs.size(); first += kLanes) {
    std::size_t count = std::min<std::size_t>(kLanes, inputs.size() - first);
    for (unsigned l = 0; l < count; ++l)
      for (unsigned k = 0; k < inputs[first + l].size(); ++k) {
        w.v(2 * k, l) = static_cast<U32>(inputs[first + l][k]);
        w.v(2 * k + 1, l) = static_cast<U32>(inputs[first + l][k] >> 32);
      }
    for (U32 mode : modes) {
      setMode(*w.operator->(), mode);
      w->ip = start;
      ASSERT_EQ(w.run(), "");
      for (std::size_t k = 0; k < cases.size(); ++k)
        for (unsigned l = 0; l < count; ++l) {
          U64 got = w.v(resultOf(k), l) | U64{w.v(resultOf(k) + 1, l)} << 32;
          ASSERT_NO_FATAL_FAILURE(checkLane(cases[k], inputs[first + l], mode, got));
        }
    }
  }
}

std::set<std::string>& testedRows() {
  static std::set<std::string> rows;
  return rows;
}

}  // namespace

std::vector<Sources> edgeInputs(const std::vector<Type>& types, bool withSignalingNans) {
  std::vector<Sources> all{{}};
  for (Type t : types) {
    std::vector<Sources> longer;
    for (const Sources& prefix : all)
      for (U64 v : values(t, types.size() == 3, withSignalingNans && isFloatType(t))) {
        longer.push_back(prefix);
        longer.back().push_back(v);
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<U32> everyMode() {
  std::vector<U32> modes;
  for (U32 rounding = 0; rounding < 4; ++rounding)
    for (U32 denormals : {0xf0u, 0x00u, 0x50u, 0xa0u})
      for (U32 rules : {kDx10ClampMode | kIeeeMode, 0u, kDx10ClampMode, kIeeeMode})
        modes.push_back(rounding | rounding << 2 | denormals | rules);
  return modes;
}

std::vector<U32> mainModes() {
  std::vector<U32> modes;
  for (U32 rounding = 0; rounding < 4; ++rounding)
    for (U32 denormals : {0xf0u, 0x00u}) modes.push_back(rounding | rounding << 2 | denormals | 0x300);
  return modes;
}

void compareEdges(const std::vector<EdgeCase>& cases, const std::vector<Sources>& inputs, const std::vector<U32>& modes,
                  Gpu gpu) {
  NEEDS_ASSEMBLER;
  for (std::size_t first = 0; first < cases.size(); first += kCasesAtOnce) {
    auto from = cases.begin() + static_cast<long>(first);
    std::vector<EdgeCase> some(from, from + static_cast<long>(std::min(kCasesAtOnce, cases.size() - first)));
    ASSERT_NO_FATAL_FAILURE(compareSome(some, inputs, modes, gpu));
  }
}

void compareEdges(const std::vector<EdgeCase>& cases, const std::vector<U32>& modes, Gpu gpu) {
  std::map<std::vector<Type>, std::vector<EdgeCase>> groups;
  for (const EdgeCase& c : cases) groups[c.sources].push_back(c);
  for (const auto& [sources, group] : groups)
    ASSERT_NO_FATAL_FAILURE(compareEdges(group, edgeInputs(sources, true), modes, gpu));
}

EdgeTested::EdgeTested(const std::vector<std::string>& mnemonics) {
  testedRows().insert(mnemonics.begin(), mnemonics.end());
}

const std::set<std::string>& EdgeTested::rows() {
  return testedRows();
}

std::vector<std::string> EdgeTested::mnemonicsOf(const std::string& assembly) {
  static const std::set<std::string> kHelpers = {"v_mov_b32",     "v_cndmask_b32", "v_pk_mov_b32",
                                                 "v_lshlrev_b32", "v_lshrrev_b32", "s_mov_b64"};
  std::vector<std::string> names;
  std::istringstream lines(assembly);
  bool alone = assembly.find('\n') == std::string::npos;
  for (std::string line, name; std::getline(lines, line);) {
    std::istringstream(line) >> name;
    for (const char* form : {"_e32", "_e64", "_sdwa", "_dpp"})
      if (name.ends_with(form)) name.erase(name.rfind('_'));
    if (alone || !kHelpers.contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace hipr::softgpu
