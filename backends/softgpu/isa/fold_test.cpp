// Single instructions against LLVM's constant folder, which knows nothing of this host's floating point: every row
// gives an instruction and the LLVM operation that means the same, and both see all pairs or triples of edge values.
#include <gtest/gtest.h>

#include <unistd.h>

#include <bit>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

enum class Type { kI16, kI32, kI64, kHalf, kFloat, kDouble };

struct Case {
  const char* assembly;  // sources v[0:1], v[2:3], v[4:5]; result v[6:7]
  const char* ir;        // an expression of %a, %b, %c
  Type result;
  std::vector<Type> sources;
};

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

const Case kCases[] = {
    {"v_bfe_u32 v6, v0, v2, v4",
     "call i32 @llvm.amdgcn.ubfe.i32(i32 %a, i32 %b, i32 %c)",
     Type::kI32,
     {Type::kI32, Type::kI32, Type::kI32}},
    {"v_bfe_i32 v6, v0, v2, v4",
     "call i32 @llvm.amdgcn.sbfe.i32(i32 %a, i32 %b, i32 %c)",
     Type::kI32,
     {Type::kI32, Type::kI32, Type::kI32}},
    {"v_perm_b32 v6, v0, v2, v4",
     "call i32 @llvm.amdgcn.perm(i32 %a, i32 %b, i32 %c)",
     Type::kI32,
     {Type::kI32, Type::kI32, Type::kI32}},
    {"v_alignbit_b32 v6, v0, v2, v4",
     "call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %c)",
     Type::kI32,
     {Type::kI32, Type::kI32, Type::kI32}},
    {"v_mul_lo_u32 v6, v0, v2", "mul i32 %a, %b", Type::kI32, {Type::kI32, Type::kI32}},
    {"v_bcnt_u32_b32 v6, v0, 0", "call i32 @llvm.ctpop.i32(i32 %a)", Type::kI32, {Type::kI32}},
    {"v_add_i32 v6, v0, v2 clamp", "call i32 @llvm.sadd.sat.i32(i32 %a, i32 %b)", Type::kI32, {Type::kI32, Type::kI32}},
    {"v_sub_i32 v6, v0, v2 clamp", "call i32 @llvm.ssub.sat.i32(i32 %a, i32 %b)", Type::kI32, {Type::kI32, Type::kI32}},
    {"v_add_u32_e64 v6, v0, v2 clamp",
     "call i32 @llvm.uadd.sat.i32(i32 %a, i32 %b)",
     Type::kI32,
     {Type::kI32, Type::kI32}},
    {"v_sub_u32_e64 v6, v0, v2 clamp",
     "call i32 @llvm.usub.sat.i32(i32 %a, i32 %b)",
     Type::kI32,
     {Type::kI32, Type::kI32}},
    {"v_add_i16 v6, v0, v2 clamp", "call i16 @llvm.sadd.sat.i16(i16 %a, i16 %b)", Type::kI16, {Type::kI16, Type::kI16}},
    {"v_pk_sub_u16 v6, v0, v2 clamp",
     "call i16 @llvm.usub.sat.i16(i16 %a, i16 %b)",
     Type::kI16,
     {Type::kI16, Type::kI16}},
    {"v_pk_mul_lo_u16 v6, v0, v2", "mul i16 %a, %b", Type::kI16, {Type::kI16, Type::kI16}},
    {"v_pk_max_i16 v6, v0, v2", "call i16 @llvm.smax.i16(i16 %a, i16 %b)", Type::kI16, {Type::kI16, Type::kI16}},
    {"v_max_u16 v6, v0, v2", "call i16 @llvm.umax.i16(i16 %a, i16 %b)", Type::kI16, {Type::kI16, Type::kI16}},
    {"v_fma_f32 v6, v0, v2, v4",
     "call float @llvm.fma.f32(float %a, float %b, float %c)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat, Type::kFloat}},
    {"v_fma_f64 v[6:7], v[0:1], v[2:3], v[4:5]",
     "call double @llvm.fma.f64(double %a, double %b, double %c)",
     Type::kDouble,
     {Type::kDouble, Type::kDouble, Type::kDouble}},
    {"v_fma_f16 v6, v0, v2, v4",
     "call half @llvm.fma.f16(half %a, half %b, half %c)",
     Type::kHalf,
     {Type::kHalf, Type::kHalf, Type::kHalf}},
    {"v_pk_fma_f16 v6, v0, v2, v4",
     "call half @llvm.fma.f16(half %a, half %b, half %c)",
     Type::kHalf,
     {Type::kHalf, Type::kHalf, Type::kHalf}},
    {"v_pk_add_f16 v6, v0, v2", "fadd half %a, %b", Type::kHalf, {Type::kHalf, Type::kHalf}},
    {"v_mul_f16 v6, v0, v2", "fmul half %a, %b", Type::kHalf, {Type::kHalf, Type::kHalf}},
    {"v_sub_f16 v6, v0, v2", "fsub half %a, %b", Type::kHalf, {Type::kHalf, Type::kHalf}},
    {"v_add_f32 v6, v0, v2", "fadd float %a, %b", Type::kFloat, {Type::kFloat, Type::kFloat}},
    {"v_mul_f32 v6, v0, v2", "fmul float %a, %b", Type::kFloat, {Type::kFloat, Type::kFloat}},
    {"v_add_f64 v[6:7], v[0:1], v[2:3]", "fadd double %a, %b", Type::kDouble, {Type::kDouble, Type::kDouble}},
    {"v_mul_f64 v[6:7], v[0:1], v[2:3]", "fmul double %a, %b", Type::kDouble, {Type::kDouble, Type::kDouble}},
    {"v_min_f32 v6, v0, v2",
     "call float @llvm.minnum.f32(float %a, float %b)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat}},
    {"v_max_f32 v6, v0, v2",
     "call float @llvm.maxnum.f32(float %a, float %b)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat}},
    {"v_min_f64 v[6:7], v[0:1], v[2:3]",
     "call double @llvm.minnum.f64(double %a, double %b)",
     Type::kDouble,
     {Type::kDouble, Type::kDouble}},
    {"v_max_f64 v[6:7], v[0:1], v[2:3]",
     "call double @llvm.maxnum.f64(double %a, double %b)",
     Type::kDouble,
     {Type::kDouble, Type::kDouble}},
    {"v_pk_max_f16 v6, v0, v2",
     "call half @llvm.maxnum.f16(half %a, half %b)",
     Type::kHalf,
     {Type::kHalf, Type::kHalf}},
    {"v_med3_f32 v6, v0, v2, v4",
     "call float @llvm.amdgcn.fmed3.f32(float %a, float %b, float %c)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat, Type::kFloat}},
    {"v_cubeid_f32 v6, v0, v2, v4",
     "call float @llvm.amdgcn.cubeid(float %a, float %b, float %c)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat, Type::kFloat}},
    {"v_cubesc_f32 v6, v0, v2, v4",
     "call float @llvm.amdgcn.cubesc(float %a, float %b, float %c)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat, Type::kFloat}},
    {"v_cubetc_f32 v6, v0, v2, v4",
     "call float @llvm.amdgcn.cubetc(float %a, float %b, float %c)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat, Type::kFloat}},
    {"v_cubema_f32 v6, v0, v2, v4",
     "call float @llvm.amdgcn.cubema(float %a, float %b, float %c)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat, Type::kFloat}},
    {"v_mul_legacy_f32 v6, v0, v2",
     "call float @llvm.amdgcn.fmul.legacy(float %a, float %b)",
     Type::kFloat,
     {Type::kFloat, Type::kFloat}},
    {"v_trig_preop_f64 v[6:7], v[0:1], v2",
     "call double @llvm.amdgcn.trig.preop.f64(double %a, i32 %b)",
     Type::kDouble,
     {Type::kDouble, Type::kI32}},
    {"v_ldexp_f32 v6, v0, v2",
     "call float @llvm.ldexp.f32.i32(float %a, i32 %b)",
     Type::kFloat,
     {Type::kFloat, Type::kI32}},
    {"v_ldexp_f64 v[6:7], v[0:1], v2",
     "call double @llvm.ldexp.f64.i32(double %a, i32 %b)",
     Type::kDouble,
     {Type::kDouble, Type::kI32}},
    {"v_cmp_class_f32 vcc, v0, v2\n v_cndmask_b32 v6, 0, 1, vcc",
     "call i1 @llvm.amdgcn.class.f32(float %a, i32 %b)",
     Type::kI32,
     {Type::kFloat, Type::kI32}},
    {"v_cmp_class_f64 vcc, v[0:1], v2\n v_cndmask_b32 v6, 0, 1, vcc",
     "call i1 @llvm.amdgcn.class.f64(double %a, i32 %b)",
     Type::kI32,
     {Type::kDouble, Type::kI32}},
    {"v_cmp_nlt_f32 vcc, v0, v2\n v_cndmask_b32 v6, 0, 1, vcc",
     "fcmp uge float %a, %b",
     Type::kI32,
     {Type::kFloat, Type::kFloat}},
    {"v_cmp_lg_f64 vcc, v[0:1], v[2:3]\n v_cndmask_b32 v6, 0, 1, vcc",
     "fcmp one double %a, %b",
     Type::kI32,
     {Type::kDouble, Type::kDouble}},
    {"v_cmp_u_f16 vcc, v0, v2\n v_cndmask_b32 v6, 0, 1, vcc",
     "fcmp uno half %a, %b",
     Type::kI32,
     {Type::kHalf, Type::kHalf}},
    {"v_cmp_gt_i64 vcc, v[0:1], v[2:3]\n v_cndmask_b32 v6, 0, 1, vcc",
     "icmp sgt i64 %a, %b",
     Type::kI32,
     {Type::kI64, Type::kI64}},
    {"v_cmp_le_u16 vcc, v0, v2\n v_cndmask_b32 v6, 0, 1, vcc",
     "icmp ule i16 %a, %b",
     Type::kI32,
     {Type::kI16, Type::kI16}},
    {"v_rndne_f64 v[6:7], v[0:1]", "call double @llvm.rint.f64(double %a)", Type::kDouble, {Type::kDouble}},
    {"v_floor_f32 v6, v0", "call float @llvm.floor.f32(float %a)", Type::kFloat, {Type::kFloat}},
    {"v_cvt_f16_f32 v6, v0", "fptrunc float %a to half", Type::kHalf, {Type::kFloat}},
    {"v_cvt_f32_f16 v6, v0", "fpext half %a to float", Type::kFloat, {Type::kHalf}},
    {"v_cvt_f32_f64 v6, v[0:1]", "fptrunc double %a to float", Type::kFloat, {Type::kDouble}},
    {"v_cvt_f32_u32 v6, v0", "uitofp i32 %a to float", Type::kFloat, {Type::kI32}},
    {"v_frexp_mant_f32 v6, v0", "call float @llvm.amdgcn.frexp.mant.f32(float %a)", Type::kFloat, {Type::kFloat}},
    {"v_frexp_exp_i32_f64 v6, v[0:1]",
     "call i32 @llvm.amdgcn.frexp.exp.i32.f64(double %a)",
     Type::kI32,
     {Type::kDouble}},
    {"v_fract_f32 v6, v0", "call float @llvm.amdgcn.fract.f32(float %a)", Type::kFloat, {Type::kFloat}},
};

// All combinations of the edge values of a case.
std::vector<std::vector<std::uint64_t>> inputs(const Case& c) {
  std::vector<std::vector<std::uint64_t>> all{{}};
  for (Type t : c.sources) {
    std::vector<std::vector<std::uint64_t>> longer;
    for (const auto& prefix : all)
      for (std::uint64_t v : values(t, c.sources.size() == 3)) {
        longer.push_back(prefix);
        longer.back().push_back(v);
      }
    all = std::move(longer);
  }
  return all;
}

// One function per input; what LLVM does not fold stays out.
std::vector<std::optional<std::uint64_t>> fold(const Case& c, const std::vector<std::vector<std::uint64_t>>& all) {
  std::string type = irType(c.result);
  bool isBit = std::string(c.ir).find("cmp") == 1 || std::string(c.ir).find("call i1 ") == 0;
  if (isBit) type = "i1";
  std::ostringstream ir;
  std::string call = c.ir;
  if (call.starts_with("call")) {  // declare it: the call without its argument names
    std::string declaration = call.substr(5);
    for (const char* name : {" %a", " %b", " %c"})
      if (auto at = declaration.find(name); at != std::string::npos) declaration.erase(at, 3);
    ir << "declare " << declaration << "\n";
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    std::string text = c.ir;
    for (std::size_t k = 0; k < all[n].size(); ++k) {
      std::string name = std::string("%") + static_cast<char>('a' + k);
      text.replace(text.find(name), 2, constant(c.sources[k], all[n][k]));
    }
    ir << "define " << type << " @f" << n << "() {\n  %r = " << text << "\n  ret " << type << " %r\n}\n";
  }
  std::string path = "/tmp/softgpu_fold_" + std::to_string(getpid());
  std::ofstream(path + ".ll") << ir.str();
  std::vector<std::optional<std::uint64_t>> results;
  std::string command = "opt-19 -S -mtriple=amdgcn-amd-amdhsa -mcpu=gfx90a -passes=instcombine,instsimplify " + path +
                        ".ll -o " + path + ".out";
  if (std::system(command.c_str()) == 0) {
    std::ifstream out(path + ".out");
    for (std::string line; std::getline(out, line);) {
      if (!line.starts_with("  ret ")) continue;
      std::string value = line.substr(line.rfind(' ') + 1);
      if (value[0] == '%' || value == "undef" || value == "poison")
        results.push_back(std::nullopt);
      else
        results.push_back(parse(c.result, value));
    }
  }
  std::remove((path + ".ll").c_str());
  std::remove((path + ".out").c_str());
  return results;
}

class Fold : public testing::TestWithParam<Case> {};

TEST_P(Fold, SameAsLlvm) {
  const Case& c = GetParam();
  std::vector<std::uint32_t> code = assemble(c.assembly);
  if (code.empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
  auto all = inputs(c);
  auto expected = fold(c, all);
  if (expected.empty()) GTEST_SKIP() << "opt-19 is not installed";
  ASSERT_EQ(expected.size(), all.size());
  std::size_t compared = 0;
  for (std::size_t first = 0; first < all.size(); first += kLanes) {
    TestWave w(code);
    std::size_t count = std::min<std::size_t>(kLanes, all.size() - first);
    for (std::size_t l = 0; l < count; ++l)
      for (unsigned k = 0; k < c.sources.size(); ++k) {
        w.v(2 * k, l) = static_cast<std::uint32_t>(all[first + l][k]);
        w.v(2 * k + 1, l) = static_cast<std::uint32_t>(all[first + l][k] >> 32);
      }
    ASSERT_EQ(w.run(), "");
    for (std::size_t l = 0; l < count; ++l) {
      if (!expected[first + l]) continue;
      bool wide = c.result == Type::kDouble || c.result == Type::kI64,
           narrow = c.result == Type::kHalf || c.result == Type::kI16;
      std::uint64_t got = w.v(6, l) | (wide ? std::uint64_t{w.v(7, l)} << 32 : 0);
      if (narrow) got &= 0xffff;
      // LLVM takes the larger of two numbers when the third source is a NaN; the manual takes the smaller.
      bool third = c.sources.size() == 3 && isNan(c.sources[2], all[first + l][2]);
      if (third && std::string_view(c.assembly).starts_with("v_med3")) continue;
      ++compared;
      // Which NaN is LLVM's business where the manual leaves it open.
      if (isNan(c.result, got) && isNan(c.result, *expected[first + l])) continue;
      std::ostringstream input;
      for (std::uint64_t x : all[first + l]) input << std::hex << " " << x;
      ASSERT_EQ(got, *expected[first + l]) << c.assembly << input.str();
    }
  }
  EXPECT_GT(compared, 0u) << "LLVM folded nothing";
}

INSTANTIATE_TEST_SUITE_P(All, Fold, testing::ValuesIn(kCases), [](const auto& info) {
  std::string name(info.param.assembly);
  name = name.substr(0, name.find(' '));
  return name + "_" + std::to_string(info.index);
});

}  // namespace
}  // namespace hipr::softgpu
