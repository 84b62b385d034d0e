// Vector ALU instructions as text: e32, e64, SDWA, DPP, packed and matrix forms.
#include "backends/softgpu/isa/print_operand.h"

namespace hipr::softgpu {
namespace {

bool noSuffix(const Printed& p) {
  std::string_view name = p.name();
  return (p.inst.flags & (kMulK | kAddK)) || name == "v_nop" || name == "v_clrexcp" || name == "v_swap_b32" ||
         name.starts_with("v_readfirstlane") || name.starts_with("v_accvgpr_mov");
}

std::string fullName(const Printed& p) {
  std::string name(p.name());
  bool own = p.row.encoding == Encoding::VOP3 || p.row.encoding == Encoding::VOP3P;
  if (p.inst.form == Form::kSdwa) return name + "_sdwa";
  if (p.inst.form == Form::kDpp) return name + "_dpp";
  if (own || noSuffix(p)) return name;
  return name + (p.inst.form == Form::kVop3 ? "_e64" : "_e32");
}

// "-v1", "|v1|", "-|v1|"; a constant's sign is written neg(), as -1 is a number of its own.
std::string modified(const std::string& text, bool abs, bool neg, bool constant) {
  if (abs) return (neg ? "-|" : "|") + text + "|";
  if (neg) return constant ? "neg(" + text + ")" : "-" + text;
  return text;
}

std::string source(const Printed& p, unsigned k, unsigned dwords) {
  const Inst& i = p.inst;
  std::string_view name = p.name();
  bool narrow = name.ends_with("16") && !has(name, "_cvt_f32_f16") && !(i.flags & (kMulK | kAddK));
  std::string text =
      i.src[k] == kLiteral && narrow ? hexadecimal(i.literal & 0xffff) : operandText(i.src[k], dwords, i.literal);
  if (i.form == Form::kSdwa && k < 2 && (i.ext >> (19 + 8 * k) & 1)) return "sext(" + text + ")";
  if (name.ends_with("_u16") || name.ends_with("_i16")) return text;  // no signs to change
  bool constant = i.src[k] < kVgpr && i.src[k] >= 128;
  return modified(text, i.abs >> k & 1, i.neg >> k & 1, constant);
}

std::string list(const char* name, unsigned bits, unsigned count) {
  std::string text = std::string(name) + ":[";
  for (unsigned k = 0; k < count; ++k) text += std::string(k ? "," : "") + (bits >> k & 1 ? "1" : "0");
  return text + "]";
}

void outputModifiers(Line& line, const Inst& i) {
  constexpr const char* kOmod[] = {"", "mul:2", "mul:4", "div:2"};
  line.modifier("clamp", i.clamp).modifier(kOmod[i.omod & 3], i.omod);
}

void sdwaModifiers(Line& line, const Printed& p) {
  constexpr const char* kSelect[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "(invalid)"};
  constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "(invalid)"};
  std::uint32_t ext = p.inst.ext;
  if (p.row.encoding != Encoding::VOPC) {
    outputModifiers(line, p.inst);
    line.modifier(std::string("dst_sel:") + kSelect[ext >> 8 & 7]);
    line.modifier(std::string("dst_unused:") + kUnused[ext >> 11 & 3]);
  }
  line.modifier(std::string("src0_sel:") + kSelect[ext >> 16 & 7]);
  line.modifier(std::string("src1_sel:") + kSelect[ext >> 24 & 7], p.row.encoding != Encoding::VOP1);
}

std::string dppControl(unsigned ctrl) {
  if (ctrl < 0x100) {
    std::string text = "quad_perm:[";
    for (unsigned k = 0; k < 4; ++k) text += (k ? "," : "") + decimal(ctrl >> (2 * k) & 3);
    return text + "]";
  }
  switch (ctrl & 0x1f0) {
    case 0x100:
      return "row_shl:" + decimal(ctrl & 15);
    case 0x110:
      return "row_shr:" + decimal(ctrl & 15);
    case 0x120:
      return "row_ror:" + decimal(ctrl & 15);
    case 0x150:
      return "row_newbcast:" + decimal(ctrl & 15);
  }
  switch (ctrl) {
    case 0x130:
      return "wave_shl:1";
    case 0x134:
      return "wave_rol:1";
    case 0x138:
      return "wave_shr:1";
    case 0x13c:
      return "wave_ror:1";
    case 0x140:
      return "row_mirror";
    case 0x141:
      return "row_half_mirror";
    case 0x142:
      return "row_bcast:15";
    case 0x143:
      return "row_bcast:31";
  }
  return "(invalid)";
}

void dppModifiers(Line& line, std::uint32_t ext) {
  line.modifier(dppControl(ext >> 8 & 0x1ff));
  line.modifier("row_mask:" + hexadecimal(ext >> 28)).modifier("bank_mask:" + hexadecimal(ext >> 24 & 15));
  line.modifier("bound_ctrl:1", ext >> 19 & 1);
}

std::string printMatrix(const Printed& p) {
  const Inst& i = p.inst;
  std::string_view name = p.name();
  Line line{std::string(name)};
  Widths w = vectorWidths(name);
  if (name == "v_accvgpr_read_b32")
    return line.operand(operandText(kVgpr + (i.dst & 255), 1)).operand(operandText(kAgpr + (i.src[0] & 255), 1)).text();
  if (name == "v_accvgpr_write_b32") {
    unsigned from = i.src[0] >= kAgpr ? i.src[0] - kAgpr + kVgpr : i.src[0];
    return line.operand(operandText(kAgpr + (i.dst & 255), 1)).operand(operandText(from, 1)).text();
  }
  line.operand(operandText(i.dst, w.dst));
  for (unsigned k = 0; k < 3; ++k) line.operand(operandText(i.src[k], w.src[k], i.literal));
  line.modifier("cbsz:" + decimal(i.abs), i.abs).modifier("abid:" + decimal(i.opSel), i.opSel);
  if (has(name, "_f64_") && p.gpu == Gpu::kGfx942)
    line.modifier(list("neg", i.neg, 3), i.neg);
  else
    line.modifier("blgp:" + decimal(i.neg), i.neg);
  return line.text();
}

std::string printPacked(const Printed& p) {
  const Inst& i = p.inst;
  std::string_view name = p.name();
  Line line{std::string(name)};
  Widths w = vectorWidths(name);
  bool mix = has(name, "_mix");
  bool three = mix || has(name, "_mad_") || has(name, "_fma_") || has(name, "_dot");
  unsigned sources = three ? 3 : 2, all = (1u << sources) - 1;
  line.operand(operandText(i.dst, w.dst));
  for (unsigned k = 0; k < sources; ++k)
    line.operand(mix ? source(p, k, w.src[k]) : operandText(i.src[k], w.src[k], i.literal));
  line.modifier(list("op_sel", i.opSel, sources), i.opSel & all);
  bool usual = mix ? (i.opSelHi & all) == 0 : (i.opSelHi & all) == all;
  line.modifier(list("op_sel_hi", i.opSelHi, sources), !usual);
  if (!mix) {
    line.modifier(list("neg_lo", i.neg, sources), i.neg & all);
    line.modifier(list("neg_hi", i.abs, sources), i.abs & all);
  }
  return line.modifier("clamp", i.clamp).text();
}

}  // namespace

std::string printVector(const Printed& p) {
  const Inst& i = p.inst;
  std::string_view name = p.name();
  if (i.flags & kMatrix) return printMatrix(p);
  if (p.row.encoding == Encoding::VOP3P) return printPacked(p);
  Line line(fullName(p));
  if (name == "v_nop" || name == "v_clrexcp") return line.text();
  Widths w = vectorWidths(name);
  bool scalarResult = name.starts_with("v_readlane") || name.starts_with("v_readfirstlane");
  bool accumulators = name.starts_with("v_accvgpr_mov");
  if (i.dst != kNoOperand)
    line.operand(operandText(scalarResult ? i.dst - kVgpr : accumulators ? i.dst + kVgpr : i.dst, w.dst));
  if (i.sdst != kNoOperand) line.operand(operandText(i.sdst, 2));
  // The old destination and an implied VCC are sources, but not written.
  unsigned sources = i.sources - ((i.flags & kReadsDst) ? 1 : 0) - ((i.flags & kMaskIn) ? 1 : 0);
  for (unsigned k = 0; k < sources; ++k) {
    if (accumulators)
      line.operand(operandText(kAgpr + (i.src[k] & 255), 1));
    else
      line.operand(source(p, k, w.src[k]));
  }
  if ((i.flags & kMaskIn) && p.row.encoding != Encoding::VOP3) line.operand(operandText(i.src[i.sources - 1], 2));
  if (i.form == Form::kSdwa) {
    sdwaModifiers(line, p);
  } else if (i.form == Form::kDpp) {
    dppModifiers(line, i.ext);
  } else if (i.form == Form::kVop3) {
    unsigned result = i.opSel >> 3 & 1;
    unsigned shown = (i.opSel & ((1u << sources) - 1)) | result << sources;
    line.modifier(list("op_sel", shown, sources + 1), i.opSel);
    outputModifiers(line, i);
  }
  return line.text();
}

}  // namespace hipr::softgpu
