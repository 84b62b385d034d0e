// Memory instructions as text.
#include "backends/softgpu/isa/print_operand.h"

namespace hipr::softgpu {
namespace {

// Bits of the cache policy: gfx942 gave them other names.
void cachePolicy(Line& line, const Printed& p, unsigned glc, unsigned slc, unsigned scc) {
  bool newer = p.gpu == Gpu::kGfx942;
  line.modifier(newer ? "sc0" : "glc", p.words[0] >> glc & 1);
  line.modifier(newer ? "nt" : "slc", p.words[0] >> slc & 1);
  line.modifier(newer ? "sc1" : "scc", p.words[0] >> scc & 1);
}

std::string swizzlePattern(unsigned offset) {
  if (offset & 0x8000) {
    std::string text = "swizzle(QUAD_PERM";
    for (unsigned k = 0; k < 4; ++k) text += "," + decimal(offset >> (2 * k) & 3);
    return text + ")";
  }
  unsigned andMask = offset & 31, orMask = offset >> 5 & 31, xorMask = offset >> 10 & 31;
  if (andMask == 31 && orMask == 0 && xorMask && (xorMask & (xorMask - 1)) == 0)
    return "swizzle(SWAP," + decimal(xorMask) + ")";
  if (andMask == 31 && orMask == 0 && xorMask && ((xorMask + 1) & xorMask) == 0)
    return "swizzle(REVERSE," + decimal(xorMask + 1) + ")";
  unsigned group = 32 - andMask;
  if (xorMask == 0 && (group & (group - 1)) == 0 && group > 1 && orMask < group)
    return "swizzle(BROADCAST," + decimal(group) + "," + decimal(orMask) + ")";
  std::string bits;
  for (int b = 4; b >= 0; --b) {
    bool a = andMask >> b & 1, o = orMask >> b & 1, x = xorMask >> b & 1;
    bits += a ? (o ? (x ? "0" : "1") : (x ? "i" : "p")) : ((o != x) ? "1" : "0");
  }
  return "swizzle(BITMASK_PERM,\"" + bits + "\")";
}

std::string printDs(const Printed& p) {
  std::string_view name = p.name();
  const Inst& i = p.inst;
  Line line{std::string(name)};
  bool two = has(name, "read2") || has(name, "write2") || has(name, "wrxchg2");
  unsigned width = has(name, "condxchg32") ? 2 : memoryWidth(name);
  bool returns = has(name, "_rtn") || has(name, "ds_read") || has(name, "permute") || has(name, "swizzle") ||
                 has(name, "append") || has(name, "consume") || has(name, "ordered");
  bool gws = has(name, "gws"), tid = has(name, "addtid") || has(name, "append") || has(name, "consume");
  bool twoData =
      has(name, "cmpst") || has(name, "mskor") || has(name, "write2") || has(name, "wrxchg2") || has(name, "wrap_rtn");
  bool data = !has(name, "ds_read") && !has(name, "swizzle") && !has(name, "append") && !has(name, "consume") &&
              !has(name, "src2") && !has(name, "ordered") && name != "ds_nop" && !gws;
  if (returns) line.operand(operandText(i.dst, has(name, "read2") || has(name, "wrxchg2") ? 2 * width : width));
  if (!gws && !tid && name != "ds_nop") line.operand(operandText(i.src[0], 1));
  if (gws && (has(name, "init") || has(name, "_br") || has(name, "barrier"))) line.operand(operandText(i.src[0], 1));
  if (data) line.operand(operandText(i.src[1], width));
  if (data && twoData) line.operand(operandText(i.src[2], width));
  if (two) {
    line.modifier("offset0:" + decimal(i.offset0), i.offset0).modifier("offset1:" + decimal(i.offset1), i.offset1);
  } else if (name == "ds_swizzle_b32") {
    line.modifier("offset:" + swizzlePattern(i.literal), i.literal);
  } else {
    line.modifier("offset:" + decimal(i.literal), i.literal);
  }
  return line.modifier("gds", i.lds).text();
}

std::string printFlat(const Printed& p) {
  std::string_view name = p.name();
  const Inst& i = p.inst;
  Line line{std::string(name)};
  bool atomic = has(name, "atomic"), store = has(name, "_store"), toLds = has(name, "_lds_");
  bool ldsBit = i.lds && p.gpu == Gpu::kGfx90a;  // gfx942 has the bit for another use and loads to LDS of their own
  bool scratch = p.row.encoding == Encoding::SCRATCH, flat = p.row.encoding == Encoding::FLAT;
  bool hasSgpr = i.sdst != kNoOperand;
  unsigned width = memoryWidth(name);
  std::string address = scratch ? operandText(i.src[0], 1) : operandText(i.src[0], flat || !hasSgpr ? 2 : 1);
  if (scratch && (p.gpu == Gpu::kGfx942 ? !i.lds : hasSgpr)) address = "off";
  bool result = (!atomic && !store && !toLds && !ldsBit) || (atomic && i.glc);
  if (result) line.operand(operandText(i.dst, width));
  line.operand(address);
  if (atomic || store) line.operand(operandText(i.src[1], width * (has(name, "cmpswap") ? 2 : 1)));
  if (!flat) line.operand(hasSgpr ? operandText(i.sdst, scratch ? 1 : 2) : "off");
  auto offset = static_cast<std::int32_t>(i.literal);
  line.modifier("offset:" + decimal(offset), offset);
  cachePolicy(line, p, 16, 17, 25);
  return line.modifier("lds", ldsBit && !atomic && !store).text();
}

std::string formatText(unsigned format) {
  constexpr const char* kData[] = {"INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
                                   "10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
                                   "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
  constexpr const char* kNumber[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"};
  unsigned data = format & 15, number = format >> 4;
  std::string text;
  if (data != 1 || number == 0) text = data == 1 ? "" : std::string("BUF_DATA_FORMAT_") + kData[data];
  if (number) text += std::string(text.empty() ? "" : ",") + "BUF_NUM_FORMAT_" + kNumber[number];
  return text.empty() ? "" : "format:[" + text + "]";
}

std::string printBuffer(const Printed& p) {
  std::string_view name = p.name();
  const Inst& i = p.inst;
  Line line{std::string(name)};
  if (has(name, "buffer_wb") || has(name, "buffer_inv")) {
    if (p.gpu == Gpu::kGfx942) cachePolicy(line, p, 14, 17, 15);
    return line.text();
  }
  if (!i.lds) line.operand(operandText(i.src[1], memoryWidth(name) * (has(name, "cmpswap") ? 2 : 1)));
  line.operand(i.offen || i.idxen ? operandText(i.src[0], i.offen && i.idxen ? 2 : 1) : "off");
  line.operand(operandText(i.sdst, 4));
  line.operand(operandText(i.src[2], 1));
  if (p.row.encoding == Encoding::MTBUF) {
    std::string format = formatText(i.ext);
    line.modifier(format, !format.empty());
  }
  line.modifier("idxen", i.idxen).modifier("offen", i.offen).modifier("offset:" + decimal(i.literal), i.literal);
  // MTBUF has no room for the third bit where MUBUF has it.
  if (p.row.encoding == Encoding::MTBUF) {
    line.modifier(p.gpu == Gpu::kGfx942 ? "sc0" : "glc", i.glc);
    line.modifier(p.gpu == Gpu::kGfx942 ? "nt" : "slc", p.words[1] >> 22 & 1);
    line.modifier(p.gpu == Gpu::kGfx942 ? "sc1" : "scc", p.words[1] >> 21 & 1);
  } else {
    cachePolicy(line, p, 14, 17, 15);
  }
  return line.modifier("lds", i.lds).text();
}

// How many registers the address takes depends on the descriptor; the first one is printed, as llvm-objdump does.
std::string printImage(const Printed& p) {
  std::string_view name = p.name();
  const Inst& i = p.inst;
  Line line{std::string(name)};
  unsigned mask = i.ext & kImageMask, width = 0;
  for (unsigned c = 0; c < 4; ++c) width += mask >> c & 1;
  if (i.ext & kImageD16) width = (width + 1) / 2;
  line.operand(operandText(i.src[1], width ? width : 1)).operand(operandText(i.src[0], 1));
  line.operand(operandText(i.sdst, 8));
  if (name == "image_sample") line.operand(operandText(i.src[2], 4));
  line.modifier("dmask:" + hexadecimal(mask), mask).modifier("unorm", i.ext & kImageUnnormalized);
  line.modifier("glc", i.glc).modifier("slc", p.words[0] >> 25 & 1).modifier("scc", p.words[0] >> 7 & 1);
  line.modifier("a16", i.ext & kImageA16).modifier("lwe", p.words[0] >> 17 & 1);
  return line.modifier("da", i.ext & kImageArray).modifier("d16", i.ext & kImageD16).text();
}

}  // namespace

std::string printMemory(const Printed& p) {
  switch (p.row.encoding) {
    case Encoding::DS:
      return printDs(p);
    case Encoding::MUBUF:
    case Encoding::MTBUF:
      return printBuffer(p);
    case Encoding::MIMG:
      return printImage(p);
    default:
      return printFlat(p);
  }
}

}  // namespace hipr::softgpu
