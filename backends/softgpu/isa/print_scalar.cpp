// Scalar instructions as text.
#include <iterator>

#include "backends/softgpu/isa/print_operand.h"

namespace hipr::softgpu {
namespace {

// Dwords of destination and sources, by the name's ending and its exceptions.
Widths scalarWidths(std::string_view name) {
  bool wide = name.ends_with("64");
  unsigned w = wide ? 2 : 1;
  if (has(name, "_i32_b64") || has(name, "_i32_i64")) return {1, {2, 1, 1}};
  if (has(name, "bitreplicate_b64_b32")) return {2, {1, 1, 1}};
  if (has(name, "bfm_b64") || has(name, "bitset")) return {w, {1, 1, 1}};
  if (has(name, "_bfe_") || has(name, "_lshl_") || has(name, "_lshr_") || has(name, "_ashr_") || has(name, "bitcmp"))
    return {w, {w, 1, 1}};
  if (has(name, "_rfe_restore") || has(name, "g_fork")) return {2, {2, has(name, "fork") ? 2u : 1u, 1}};
  return {w, {w, w, w}};
}

bool oneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  for (std::string_view n : names)
    if (name == n) return true;
  return false;
}

std::string short16(std::uint32_t literal) {
  auto value = static_cast<std::int16_t>(literal);
  return value >= -16 && value <= 64 ? decimal(value) : hexadecimal(literal & 0xffff);
}

const char* hwregName(unsigned id, Gpu gpu) {
  constexpr const char* kNames[] = {nullptr,        "HW_REG_MODE",      "HW_REG_STATUS",    "HW_REG_TRAPSTS",
                                    "HW_REG_HW_ID", "HW_REG_GPR_ALLOC", "HW_REG_LDS_ALLOC", "HW_REG_IB_STS"};
  if (id < std::size(kNames)) return kNames[id];
  if (id >= 15 && id <= 19) {
    constexpr const char* kMemory[] = {"HW_REG_SH_MEM_BASES", "HW_REG_TBA_LO", "HW_REG_TBA_HI", "HW_REG_TMA_LO",
                                       "HW_REG_TMA_HI"};
    return kMemory[id - 15];
  }
  if (gpu != Gpu::kGfx942) return nullptr;
  return id == 20 ? "HW_REG_XCC_ID" : id == 21 ? "HW_REG_SQ_PERF_SNAPSHOT_DATA" : nullptr;
}

std::string hwreg(std::uint32_t literal, Gpu gpu) {
  unsigned id = literal & 63, offset = literal >> 6 & 31, size = (literal >> 11 & 31) + 1;
  const char* name = hwregName(id, gpu);
  std::string text = "hwreg(" + (name ? name : decimal(id));
  if (offset != 0 || size != 32) text += ", " + decimal(offset) + ", " + decimal(size);
  return text + ")";
}

std::string indexModes(unsigned bits) {
  constexpr const char* kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  std::string text = "gpr_idx(";
  for (unsigned k = 0; k < 4; ++k)
    if (bits >> k & 1) text += std::string(text.ends_with("(") ? "" : ",") + kNames[k];
  return text + ")";
}

// Counters that are at their maximum are not waited for.
std::string waitcnt(std::uint32_t imm) {
  unsigned vm = (imm & 15) | (imm >> 14 & 3) << 4, exp = imm >> 4 & 7, lgkm = imm >> 8 & 15;
  bool all = vm == 63 && exp == 7 && lgkm == 15;
  std::string text;
  auto counter = [&](const char* name, unsigned value, unsigned most) {
    if (value == most && !all) return;
    text += std::string(text.empty() ? "" : " ") + name + "(" + decimal(value) + ")";
  };
  counter("vmcnt", vm, 63);
  counter("expcnt", exp, 7);
  counter("lgkmcnt", lgkm, 15);
  return text;
}

std::string message(std::uint32_t imm) {
  if (imm == 1) return "sendmsg(MSG_INTERRUPT)";
  return imm == 4 ? "sendmsg(MSG_SAVEWAVE)" : decimal(imm);  // the others are of graphics
}

std::string printSopp(const Printed& p) {
  std::string_view name = p.name();
  std::uint32_t imm = p.words[0] & 0xffff;
  Line line{std::string(name)};
  if (name == "s_waitcnt") return line.operand(waitcnt(imm)).text();
  if (name.starts_with("s_sendmsg")) return line.operand(message(imm)).text();
  if (name == "s_set_gpr_idx_mode" && imm < 16) return line.operand(indexModes(imm & 15)).text();
  if (oneOf(name, {"s_barrier", "s_wakeup", "s_icache_inv", "s_ttracedata", "s_set_gpr_idx_off", "s_endpgm_saved",
                   "s_endpgm_ordered_ps_done"}))
    return line.text();
  if (name == "s_endpgm" && imm == 0) return line.text();
  bool branch = has(name, "branch") || name == "s_endpgm";
  return line.operand(imm <= 64 || branch ? decimal(imm) : hexadecimal(imm)).text();
}

std::string printSopk(const Printed& p) {
  std::string_view name = p.name();
  Line line{std::string(name)};
  std::string dst = operandText(p.inst.dst, has(name, "64") || has(name, "fork") ? 2 : 1);
  if (name == "s_setreg_imm32_b32")
    return line.operand(hwreg(p.inst.literal, p.gpu)).operand(hexadecimal(p.words[1])).text();
  if (name == "s_setreg_b32") return line.operand(hwreg(p.inst.literal, p.gpu)).operand(dst).text();
  line.operand(dst);
  if (name == "s_getreg_b32") return line.operand(hwreg(p.inst.literal, p.gpu)).text();
  if (name == "s_call_b64" || has(name, "fork")) return line.operand(decimal(p.words[0] & 0xffff)).text();
  if (name.starts_with("s_cmpk") && name.ends_with("u32")) {
    std::uint32_t imm = p.words[0] & 0xffff;
    return line.operand(imm <= 64 ? decimal(imm) : hexadecimal(imm)).text();
  }
  return line.operand(short16(p.inst.literal)).text();
}

std::string printSmem(const Printed& p) {
  std::string_view name = p.name();
  Line line{std::string(name)};
  const Inst& i = p.inst;
  if (name.starts_with("s_dcache") && !has(name, "discard")) return line.text();
  if (name == "s_memtime" || name == "s_memrealtime") return line.operand(operandText(i.dst, 2)).text();
  if (has(name, "atc_probe")) {
    line.operand(i.dst <= 64 ? decimal(i.dst) : hexadecimal(i.dst));
  } else if (!has(name, "discard")) {
    line.operand(operandText(i.dst, memoryWidth(name) * (has(name, "cmpswap") ? 2 : 1)));
  }
  line.operand(operandText(i.sdst, has(name, "buffer") ? 4 : 2));
  bool immediate = p.words[0] >> 17 & 1;
  if (i.offen) line.operand(operandText(i.src[0], 1));
  if (immediate && i.offen) line.modifier("offset:" + hexadecimal(static_cast<std::int32_t>(i.literal)));
  if (immediate && !i.offen) line.operand(hexadecimal(static_cast<std::int32_t>(i.literal)));
  return line.modifier("glc", i.glc).modifier("nv", p.words[0] >> 15 & 1).text();
}

}  // namespace

std::string printScalar(const Printed& p) {
  const Inst& i = p.inst;
  std::string_view name = p.name();
  if (p.row.encoding == Encoding::SOPP) return printSopp(p);
  if (p.row.encoding == Encoding::SOPK) return printSopk(p);
  if (p.row.encoding == Encoding::SMEM) return printSmem(p);
  Line line{std::string(name)};
  Widths w = scalarWidths(name);
  bool noDst = i.dst == kNoOperand || oneOf(name, {"s_setpc_b64", "s_rfe_b64", "s_rfe_restore_b64", "s_cbranch_g_fork",
                                                   "s_cbranch_join", "s_set_gpr_idx_idx"});
  if (!noDst) line.operand(operandText(i.dst, w.dst));
  if (name == "s_getpc_b64") return line.text();
  if (name == "s_set_gpr_idx_on" && i.src[1] > 15)
    return line.operand(operandText(i.src[0], 1, i.literal)).operand(hexadecimal(i.src[1])).text();
  if (name == "s_set_gpr_idx_on")
    return line.operand(operandText(i.src[0], 1, i.literal)).operand(indexModes(i.src[1] & 15)).text();
  for (unsigned k = 0; k < i.sources; ++k) line.operand(operandText(i.src[k], w.src[k], i.literal));
  return line.text();
}

}  // namespace hipr::softgpu
