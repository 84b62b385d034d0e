#include "backends/softgpu/isa/fold.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <bit>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using Inputs = std::vector<std::vector<std::uint64_t>>;

const char* irType(Type t) {
  constexpr const char* kNames[] = {"i16", "i32", "i64", "half", "float", "double"};
  return kNames[static_cast<int>(t)];
}

std::vector<std::uint64_t> values(Type t, bool few) {
  switch (t) {
    case Type::kI16:
      return {0, 1, 7, 0x7fff, 0x8000, 0xffff, 0x1234};
    case Type::kI32:
      if (few) return {0, 1, 5, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff, 0x0c0d0b08, 0x01020307};
      return {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 0xfedcba98, 0x00ff8000};
    case Type::kI64:
      return {0, 1, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, 0x123456789abcdef0};
    case Type::kHalf:
      return {0, 0x8000, 1, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0x1001};
    case Type::kFloat:
      return {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x3f800000, 0xbf800000,
              0x3eaaaaab, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x4b7fffff};
    case Type::kDouble:
      return {0,
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
  }
  return {};
}

std::string constant(Type t, std::uint64_t bits) {
  char text[40];
  if (t == Type::kHalf) {
    std::snprintf(text, sizeof text, "0xH%04X", static_cast<unsigned>(bits));
  } else if (t == Type::kFloat) {  // floats are written as the double of the same value
    double wide = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    std::snprintf(text, sizeof text, "0x%016llX", std::bit_cast<unsigned long long>(wide));
  } else if (t == Type::kDouble) {
    std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(bits));
  } else {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(bits));
  }
  return text;
}

// "0x3FF0000000000000", "1.000000e+00", "0xH3C00", "-5", "true" as bits.
std::uint64_t parse(Type t, const std::string& text) {
  if (text.starts_with("0xH")) return std::stoull(text.substr(3), nullptr, 16);
  if (t == Type::kFloat || t == Type::kDouble || t == Type::kHalf) {
    double x = text.starts_with("0x") ? std::bit_cast<double>(std::stoull(text.substr(2), nullptr, 16))
                                      : std::strtod(text.c_str(), nullptr);
    if (t == Type::kFloat) return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    return std::bit_cast<std::uint64_t>(x);
  }
  if (text == "true" || text == "false") return text == "true";
  std::uint64_t bits = text[0] == '-' ? 0 - std::stoull(text.substr(1)) : std::stoull(text);
  return t == Type::kI16 ? bits & 0xffff : t == Type::kI32 ? bits & 0xffffffff : bits;
}

bool isNan(Type t, std::uint64_t x) {
  if (t == Type::kHalf) return (x & 0x7fff) > 0x7c00;
  if (t == Type::kFloat) return (x & 0x7fffffff) > 0x7f800000;
  return t == Type::kDouble && (x & ~(1ull << 63)) > 0x7ff0000000000000;
}

// All combinations of the edge values of the sources.
Inputs inputs(const std::vector<Type>& sources) {
  Inputs all{{}};
  for (Type t : sources) {
    Inputs longer;
    for (const auto& prefix : all)
      for (std::uint64_t v : values(t, sources.size() == 3)) {
        longer.push_back(prefix);
        longer.back().push_back(v);
      }
    all = std::move(longer);
  }
  return all;
}

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// "%r = last" after the operations before it; the type of a compare is i1.
std::string function(const Case& c, std::size_t number, const std::vector<std::uint64_t>& arguments) {
  std::string body = c.ir, type = irType(c.result);
  std::size_t last = body.rfind('\n') + 1;  // 0 when there is one line
  std::string result = body.substr(last);
  if (result.find("cmp") == 1 || result.starts_with("call i1 ")) type = "i1";
  body.insert(last, "%r = ");
  for (std::size_t k = 0; k < arguments.size(); ++k)
    replaceAll(body, std::string("%") + static_cast<char>('a' + k), constant(c.sources[k], arguments[k]));
  return "define " + type + " @f" + std::to_string(number) + "() {\n" + body + "\n  ret " + type + " %r\n}\n";
}

// "call float @llvm.fma.f32(float %a, ...)" declared: the call without its argument names.
void declare(const Case& c, std::map<std::string, std::string>& declarations) {
  std::istringstream lines(c.ir);
  for (std::string line; std::getline(lines, line);) {
    std::size_t call = line.find("call "), name = line.find('@');
    if (call == std::string::npos) continue;
    std::string text;
    for (std::size_t at = call + 5; at < line.size(); ++at) {
      if (line[at] == ' ' && at + 1 < line.size() && line[at + 1] == '%') {
        while (at + 1 < line.size() && line[at + 1] != ',' && line[at + 1] != ')') ++at;
        continue;
      }
      text += line[at];
    }
    declarations[line.substr(name, line.find('(') - name)] = "declare " + text + "\n";
  }
}

// One function per case and input; what LLVM does not fold stays out.
std::vector<std::optional<std::uint64_t>> fold(const std::vector<Case>& cases, const Inputs& all) {
  std::map<std::string, std::string> declarations;
  std::ostringstream ir;
  for (const Case& c : cases) {
    declare(c, declarations);
    for (std::size_t n = 0; n < all.size(); ++n)
      ir << function(c, static_cast<std::size_t>(&c - cases.data()) * all.size() + n, all[n]);
  }
  std::string path = "/tmp/softgpu_fold_" + std::to_string(getpid());
  {
    std::ofstream file(path + ".ll");
    for (const auto& [name, text] : declarations) file << text;
    file << ir.str();
  }
  std::vector<std::optional<std::uint64_t>> results;
  std::string command = "opt-19 -S -mtriple=amdgcn-amd-amdhsa -mcpu=gfx90a -passes=instcombine,instsimplify " + path +
                        ".ll -o " + path + ".out";
  if (std::system(command.c_str()) == 0) {
    std::ifstream out(path + ".out");
    for (std::string line; std::getline(out, line);) {
      if (!line.starts_with("  ret ")) continue;
      Type type = cases[results.size() / all.size()].result;
      std::string value = line.substr(line.rfind(' ') + 1);
      if (value[0] == '%' || value == "undef" || value == "poison")
        results.push_back(std::nullopt);
      else
        results.push_back(parse(type, value));
    }
  }
  std::remove((path + ".ll").c_str());
  std::remove((path + ".out").c_str());
  return results;
}

// Each case's result in registers of its own.
unsigned resultOf(std::size_t k) {
  return static_cast<unsigned>(8 + 2 * k);
}
std::string program(const std::vector<Case>& cases) {
  std::string source;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    std::string text = cases[k].assembly, first = std::to_string(resultOf(k));
    replaceAll(text, "v[6:7]", "v[" + first + ":" + std::to_string(resultOf(k) + 1) + "]");
    replaceAll(text, "v6", "v" + first);
    source += text + "\n";
  }
  return source;
}

void checkLane(const Case& c, const std::vector<std::uint64_t>& arguments, std::uint64_t got, std::uint64_t expected) {
  bool narrow = c.result == Type::kHalf || c.result == Type::kI16;
  bool wide = c.result == Type::kDouble || c.result == Type::kI64;
  got &= narrow ? 0xffff : wide ? ~0ull : 0xffffffff;
  // Which NaN is LLVM's business where the manual leaves it open.
  if (isNan(c.result, got) && isNan(c.result, expected)) return;
  std::ostringstream input;
  for (std::uint64_t x : arguments) input << std::hex << " " << x;
  ASSERT_EQ(got, expected) << c.assembly << input.str();
}

void compareGroup(const std::vector<Case>& cases) {
  std::vector<std::uint32_t> code = assemble(program(cases));
  ASSERT_FALSE(code.empty()) << program(cases);
  Inputs all = inputs(cases[0].sources);
  auto expected = fold(cases, all);
  ASSERT_EQ(expected.size(), cases.size() * all.size());
  std::vector<std::size_t> compared(cases.size());
  for (std::size_t first = 0; first < all.size(); first += kLanes) {
    TestWave w(code);
    std::size_t count = std::min<std::size_t>(kLanes, all.size() - first);
    for (std::size_t l = 0; l < count; ++l)
      for (unsigned k = 0; k < all[first + l].size(); ++k) {
        w.v(2 * k, l) = static_cast<std::uint32_t>(all[first + l][k]);
        w.v(2 * k + 1, l) = static_cast<std::uint32_t>(all[first + l][k] >> 32);
      }
    ASSERT_EQ(w.run(), "");
    for (std::size_t k = 0; k < cases.size(); ++k)
      for (std::size_t l = 0; l < count; ++l) {
        const auto& arguments = all[first + l];
        auto wanted = expected[k * all.size() + first + l];
        // LLVM takes the larger of two numbers when the third source is a NaN; the manual takes the smaller.
        bool third = arguments.size() == 3 && isNan(cases[k].sources[2], arguments[2]);
        if (!wanted || (third && std::string_view(cases[k].assembly).starts_with("v_med3"))) continue;
        ++compared[k];
        checkLane(cases[k], arguments, w.v(resultOf(k), l) | std::uint64_t{w.v(resultOf(k) + 1, l)} << 32, *wanted);
        if (testing::Test::HasFatalFailure()) return;
      }
  }
  for (std::size_t k = 0; k < cases.size(); ++k) EXPECT_GT(compared[k], 0u) << "LLVM folded nothing of " << cases[k].ir;
}

}  // namespace

void compareWithLlvm(const std::vector<Case>& cases) {
  if (assemble("").empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
  if (std::system("opt-19 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "opt-19 is not installed";
  std::map<std::vector<Type>, std::vector<Case>> groups;
  for (const Case& c : cases) groups[c.sources].push_back(c);
  for (const auto& [sources, group] : groups) compareGroup(group);
}

}  // namespace hipr::softgpu
