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

const char* irType(Type t) {
  constexpr const char* kNames[] = {"i16", "i32", "i64", "half", "float", "double"};
  return kNames[static_cast<int>(t)];
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

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// "%r = last" after the operations before it; the type of a compare is i1.
std::string function(const Case& c, std::size_t number, const Sources& arguments) {
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
std::vector<std::optional<std::uint64_t>> fold(const std::vector<Case>& cases, const std::vector<Sources>& all) {
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

void compareGroup(const std::vector<Case>& cases) {
  std::vector<Sources> all = edgeInputs(cases[0].sources, false);
  auto expected = fold(cases, all);
  ASSERT_EQ(expected.size(), cases.size() * all.size());
  std::vector<EdgeCase> edges;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    std::map<Sources, std::uint64_t> folded;
    for (std::size_t n = 0; n < all.size(); ++n) {
      auto value = expected[k * all.size() + n];
      // LLVM takes the larger of two numbers when the third source is a NaN; the manual takes the smaller.
      bool third = all[n].size() == 3 && isFloatType(c.sources[2]) && formatOf(c.sources[2]).isNan(all[n][2]);
      if (value && !(third && std::string_view(c.assembly).starts_with("v_med3"))) folded[all[n]] = *value;
    }
    EXPECT_FALSE(folded.empty()) << "LLVM folded nothing of " << c.ir;
    edges.push_back({c.assembly, c.result, c.sources, [folded](const Sources& x, std::uint32_t) {
                       auto found = folded.find(x);
                       return found == folded.end() ? std::nullopt : std::optional(found->second);
                     }});
  }
  compareEdges(edges, all, {kUsualMode}, Gpu::kGfx90a);
}

}  // namespace

void compareWithLlvm(const std::vector<Case>& cases) {
  NEEDS_ASSEMBLER;
  if (std::system("opt-19 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "opt-19 is not installed";
  std::map<std::vector<Type>, std::vector<Case>> groups;
  for (const Case& c : cases) groups[c.sources].push_back(c);
  for (const auto& [sources, group] : groups) compareGroup(group);
}

}  // namespace hipr::softgpu
