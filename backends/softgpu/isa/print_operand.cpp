#include "backends/softgpu/isa/print_operand.h"

#include <cstdio>
#include <cstdlib>

namespace hipr::softgpu {
namespace {

std::string range(const char* prefix, unsigned first, unsigned dwords) {
  if (dwords == 1) return prefix + decimal(first);
  return std::string(prefix) + "[" + decimal(first) + ":" + decimal(first + dwords - 1) + "]";
}

// Pairs that have a name of their own.
std::string special(const char* name, unsigned code, unsigned dwords) {
  if (dwords == 2) return name;
  return std::string(name) + (code & 1 ? "_hi" : "_lo");
}

std::string constantText(unsigned code, unsigned dwords) {
  constexpr const char* kFloats[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
  if (code <= 192) return decimal(code - 128);
  if (code <= 208) return decimal(192 - static_cast<int>(code));
  switch (code) {
    case 235:
      return "src_shared_base";
    case 236:
      return "src_shared_limit";
    case 237:
      return "src_private_base";
    case 238:
      return "src_private_limit";
    case 239:
      return "src_pops_exiting_wave_id";
    case 248:
      return dwords == 2 ? "0.15915494309189532" : "0.15915494";
    case 251:
      return "src_vccz";
    case 252:
      return "src_execz";
    case 253:
      return "src_scc";
    case 254:
      return "src_lds_direct";
  }
  return code >= 240 && code < 248 ? kFloats[code - 240] : "(invalid)";
}

// "32x32x4" in a matrix instruction's name.
struct MatrixShape {
  unsigned m, n, k;
};
MatrixShape matrixShape(std::string_view name) {
  MatrixShape s{};
  std::size_t x = name.find('x');
  while (x != std::string_view::npos && !(x > 0 && name[x - 1] >= '0' && name[x - 1] <= '9')) x = name.find('x', x + 1);
  if (x == std::string_view::npos) return s;
  std::size_t start = name.rfind('_', x) + 1;
  std::sscanf(std::string(name.substr(start)).c_str(), "%ux%ux%u", &s.m, &s.n, &s.k);
  return s;
}

Widths matrixWidths(std::string_view name) {
  auto [m, n, k] = matrixShape(name);
  if (!m) return {};
  Widths w;
  if (has(name, "smfmac")) {
    w.dst = m * n / 64;
    w.src[0] = 2;
    w.src[1] = 4;
    return w;
  }
  // Elements of a lane in the first two sources, and the dwords they take.
  unsigned elements = 1, dwords = 1;
  if (has(name, "f64_")) {
    dwords = 2;
  } else if (has(name, "xf32")) {
    elements = dwords = 2;
  } else if (has(name, "bf16_1k") || name.ends_with("f16") || name.ends_with("_bf16")) {
    bool pairs = name.ends_with("bf16") && !name.ends_with("_bf16");
    elements = pairs ? 2 : 4;
    dwords = pairs ? 1 : 2;
  } else if (has(name, "fp8") || has(name, "bf8")) {
    elements = 8;
    dwords = 2;
  } else if (name.ends_with("i8")) {
    elements = m * k > 256 ? 8 : 4;
    dwords = elements / 4;
  }
  unsigned blocks = 64 * elements / (m * k);
  w.dst = w.src[2] = m * n * (blocks ? blocks : 1) / 64 * (has(name, "f64_") ? 2 : 1);
  w.src[0] = w.src[1] = dwords;
  return w;
}

}  // namespace

std::string decimal(std::int64_t value) {
  return std::to_string(value);
}
std::string hexadecimal(std::int64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "%s0x%llx", value < 0 ? "-" : "", std::llabs(value));
  return text;
}

std::string operandText(unsigned code, unsigned dwords, std::uint32_t literal) {
  if (code >= kAgpr) return range("a", code - kAgpr, dwords);
  if (code >= kVgpr) return range("v", code - kVgpr, dwords);
  if (code == kLiteral) {
    // One that needed none reads like the inline constant.
    std::int64_t value = dwords == 2 ? std::int64_t{literal} : std::int64_t{static_cast<std::int32_t>(literal)};
    return value >= -16 && value <= 64 ? decimal(value) : hexadecimal(literal);
  }
  if (code >= 128) return constantText(code, dwords);
  if (code < kFlatScratchLo) return range("s", code, dwords);
  if (code < kXnackLo) return special("flat_scratch", code, dwords);
  if (code < kVccLo) return special("xnack_mask", code, dwords);
  if (code < 108) return special("vcc", code, dwords);
  if (code < kM0) return range("ttmp", code - 108, dwords);
  if (code >= kExecLo) return special("exec", code, dwords);
  return code == kM0 ? "m0" : "null";
}

Widths vectorWidths(std::string_view name) {
  auto all = [](unsigned d) { return Widths{d, {d, d, d}}; };
  if (has(name, "mfma") || has(name, "smfmac")) return matrixWidths(name);
  if (has(name, "_class_f64") || has(name, "ldexp_f64") || has(name, "trig_preop_f64")) return {2, {2, 1, 1}};
  if (has(name, "_cmp")) return name.ends_with("64") ? all(2) : all(1);
  if (has(name, "frexp_exp_i32_f64")) return {1, {2, 1, 1}};
  if (name.starts_with("v_cvt_pk_f32_")) return {2, {1, 1, 1}};
  if (name.starts_with("v_cvt_")) return {has(name, "cvt_f64") ? 2u : 1u, {name.ends_with("_f64") ? 2u : 1u, 1, 1}};
  if (has(name, "v_mad_u64") || has(name, "v_mad_i64")) return {2, {1, 1, 2}};
  if (has(name, "rev_b64") || has(name, "rev_i64")) return {2, {1, 2, 1}};
  if (has(name, "v_lshl_add_u64")) return {2, {2, 1, 2}};
  if (has(name, "qsad_pk_u16_u8")) return {2, {2, 1, 2}};
  if (has(name, "mqsad_u32_u8")) return {4, {2, 1, 4}};
  if (name.starts_with("v_pk_") && (name.ends_with("_f32") || name.ends_with("mov_b32"))) return all(2);
  return name.ends_with("_f64") || name.ends_with("_b64") ? all(2) : all(1);
}

unsigned memoryWidth(std::string_view name) {
  if (has(name, "x16")) return 16;
  if (has(name, "x8")) return 8;
  bool halves = has(name, "format_d16");
  if (has(name, "_xyzw")) return halves ? 2 : 4;
  if (has(name, "_xyz")) return halves ? 2 : 3;
  if (has(name, "_xy")) return halves ? 1 : 2;
  if (has(name, "x4") || has(name, "_b128")) return 4;
  if (has(name, "x3") || has(name, "_b96")) return 3;
  return has(name, "x2") || name.ends_with("64") ? 2 : 1;
}

}  // namespace hipr::softgpu
