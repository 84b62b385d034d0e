// The 18 instruction formats of gfx9, field by field. Field positions are those of the CDNA2 manual's chapter
// "Microcode Formats"; the meaning of operands beyond the format comes from the flags of the row.
#include "backends/softgpu/isa/decode.h"

#include <cstring>

#include "backends/softgpu/isa/constants.h"
#include "backends/softgpu/isa/impl.h"
#include "backends/softgpu/isa/table.h"
#include "backends/softgpu/isa/wave.h"

namespace hipr::softgpu {
namespace {

constexpr std::uint16_t kIllegalRow = 0xffff;
constexpr unsigned kSdwaMark = 249;
constexpr unsigned kDppMark = 250;

std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) {
  return (word >> low) & ((1u << count) - 1);
}
std::uint32_t signExtend(std::uint32_t value, unsigned count) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value << (32 - count)) >> (32 - count));
}

void illegal(Wave& w, const Inst& i) {
  raise(w, i, FaultKind::kIllegalInstruction, "illegal instruction");
}
void unbuilt(Wave& w, const Inst& i) {
  raise(w, i, FaultKind::kIllegalInstruction, "instruction not implemented");
}

class Decoder {
 public:
  Decoder(const std::uint32_t* words, unsigned available, Gpu gpu)
      : word_(words[0]), next_(available > 1 ? words[1] : 0), available_(available), gpu_(gpu) {
    std::memset(static_cast<void*>(&inst_), 0, sizeof inst_);
    inst_.run = illegal;
    inst_.row = kIllegalRow;
    inst_.words = 1;
    inst_.dst = inst_.sdst = inst_.src[0] = inst_.src[1] = inst_.src[2] = inst_.src[3] = kNoOperand;
  }

  Inst decode() {
    if (!(word_ >> 31)) {
      vector();
    } else if (bits(word_, 30, 2) == 2) {
      scalar();
    } else {
      wide();
    }
    if (inst_.row != kIllegalRow && inst_.words > available_) return cutOff();
    if (inst_.row != kIllegalRow) bind();
    return inst_;
  }

 private:
  bool row(Encoding encoding, unsigned opcode) {
    int found = findRow(encoding, opcode, gpu_);
    if (found < 0) return false;
    inst_.row = static_cast<std::uint16_t>(found);
    inst_.flags = allRows()[found].flags;
    return true;
  }

  Inst cutOff() {
    inst_.row = kIllegalRow;
    inst_.run = illegal;
    inst_.words = 1;
    return inst_;
  }

  void bind() {
    const Impl* impl = chosenImpls()[inst_.row];
    bool modified = inst_.form == Form::kSdwa || inst_.form == Form::kDpp || inst_.abs || inst_.neg || inst_.omod ||
                    inst_.clamp || inst_.opSel || (inst_.flags & kKeepsHalf);
    inst_.onlySigns =
        inst_.form == Form::kVop3 && !inst_.omod && !inst_.clamp && !inst_.opSel && !(inst_.flags & kKeepsHalf);
    inst_.mix = mix();
    inst_.run = !impl ? unbuilt : modified ? impl->general : impl->plain;
  }

  Mix mix() const {
    auto vector = [&](unsigned k) { return inst_.src[k] >= kVgpr && inst_.src[k] < kAgpr; };
    unsigned count = inst_.sources - (inst_.flags & kMaskIn ? 1 : 0);
    for (unsigned k = 1; k < count; ++k)
      if (!vector(k)) return Mix::kAny;
    if (count == 0 || vector(0)) return Mix::kRegisters;
    return inst_.src[0] < kPastConstants || inst_.src[0] == kLiteral ? Mix::kScalarFirst : Mix::kAny;
  }

  void takeLiteral(unsigned source) {
    if (source == kLiteral) wantLiteral();
  }
  void wantLiteral() {
    inst_.literal = next_;
    inst_.words = 2;
  }

  void scalar() {
    inst_.sources = 0;
    auto source = [&](unsigned low) {
      unsigned code = bits(word_, low, 8);
      inst_.src[inst_.sources++] = static_cast<std::uint16_t>(code);
      takeLiteral(code);
    };
    inst_.dst = static_cast<std::uint16_t>(bits(word_, 16, 7));
    switch (bits(word_, 23, 7)) {
      case 0x7d:
        if (row(Encoding::SOP1, bits(word_, 8, 8))) source(0);
        return;
      case 0x7e:
        inst_.dst = kNoOperand;
        if (row(Encoding::SOPC, bits(word_, 16, 7))) source(0), source(8);
        return;
      case 0x7f:
        inst_.dst = kNoOperand;
        row(Encoding::SOPP, bits(word_, 16, 7));
        inst_.literal = signExtend(word_ & 0xffff, 16);
        return;
    }
    if (bits(word_, 28, 4) == 0xb) {
      if (!row(Encoding::SOPK, bits(word_, 23, 5))) return;
      inst_.literal = signExtend(word_ & 0xffff, 16);
      if (bits(word_, 23, 5) == 0x14) {  // s_setreg_imm32_b32: the register id in simm16, the value in a second dword
        inst_.ext = next_;
        inst_.words = 2;
      }
      return;
    }
    if (row(Encoding::SOP2, bits(word_, 23, 7))) source(0), source(8);
  }

  void vector() {
    unsigned src0 = bits(word_, 0, 9);
    inst_.dst = static_cast<std::uint16_t>(kVgpr + bits(word_, 17, 8));
    inst_.src[0] = static_cast<std::uint16_t>(src0);
    unsigned op = bits(word_, 25, 6);
    if (op == 0x3f) {
      if (!row(Encoding::VOP1, bits(word_, 9, 8))) return;
      inst_.sources = 1;
    } else {
      if (op == 0x3e ? !row(Encoding::VOPC, bits(word_, 17, 8)) : !row(Encoding::VOP2, op)) return;
      inst_.src[1] = static_cast<std::uint16_t>(kVgpr + bits(word_, 9, 8));
      inst_.sources = 2;
    }
    bool compare = op == 0x3e;
    if (compare) inst_.dst = kNoOperand;
    if (compare || (inst_.flags & kCarryOut)) inst_.sdst = kVccLo;
    if (src0 == kLiteral) wantLiteral();
    if (src0 == kSdwaMark) sdwa(compare);
    if (src0 == kDppMark) dpp();
    impliedSources(kVccLo);
  }

  // Sources the encoding does not name.
  void impliedSources(unsigned maskCode) {
    if (inst_.flags & (kMulK | kAddK)) wantLiteral();
    if (inst_.flags & kMulK) inst_.src[2] = inst_.src[1], inst_.src[1] = kLiteral, inst_.sources = 3;
    if (inst_.flags & kAddK) inst_.src[2] = kLiteral, inst_.sources = 3;
    if (inst_.flags & kReadsDst) inst_.src[inst_.sources++] = inst_.dst;
    if (inst_.flags & kMaskIn) inst_.src[inst_.sources++] = static_cast<std::uint16_t>(maskCode);
  }

  void sdwa(bool compare) {
    inst_.form = Form::kSdwa;
    inst_.ext = next_;
    inst_.words = 2;
    inst_.src[0] = static_cast<std::uint16_t>(bits(next_, 0, 8) + (bits(next_, 23, 1) ? 0 : kVgpr));
    if (inst_.sources > 1 && bits(next_, 31, 1)) inst_.src[1] = inst_.src[1] - kVgpr;
    inst_.neg = static_cast<std::uint8_t>(bits(next_, 20, 1) | bits(next_, 28, 1) << 1);
    inst_.abs = static_cast<std::uint8_t>(bits(next_, 21, 1) | bits(next_, 29, 1) << 1);
    if (compare) {
      if (bits(next_, 15, 1)) inst_.sdst = static_cast<std::uint16_t>(bits(next_, 8, 7));
    } else {
      inst_.clamp = bits(next_, 13, 1);
      inst_.omod = static_cast<std::uint8_t>(bits(next_, 14, 2));
    }
  }

  void dpp() {
    inst_.form = Form::kDpp;
    inst_.ext = next_;
    inst_.words = 2;
    inst_.src[0] = static_cast<std::uint16_t>(kVgpr + bits(next_, 0, 8));
    inst_.neg = static_cast<std::uint8_t>(bits(next_, 20, 1) | bits(next_, 22, 1) << 1);
    inst_.abs = static_cast<std::uint8_t>(bits(next_, 21, 1) | bits(next_, 23, 1) << 1);
  }

  void wide() {
    inst_.words = 2;
    switch (bits(word_, 26, 6)) {
      case 0x30:
        return smem();
      case 0x34:
        return bits(word_, 23, 3) == 7 ? vop3p() : vop3();
      case 0x36:
        return ds();
      case 0x37:
        return flat();
      case 0x38:
        return mubuf();
      case 0x3a:
        return mtbuf();
      case 0x3c:
        return mimg();
    }
  }

  void vop3() {
    unsigned op = bits(word_, 16, 10);
    if (!row(Encoding::VOP3, op)) return;
    Encoding shape = allRows()[inst_.row].encoding;
    inst_.form = Form::kVop3;
    inst_.dst = static_cast<std::uint16_t>(kVgpr + bits(word_, 0, 8));
    for (unsigned k = 0; k < 3; ++k) inst_.src[k] = static_cast<std::uint16_t>(bits(next_, 9 * k, 9));
    // VOP3 has no literals and no SDWA or DPP marks; those codes are not operands here.
    constexpr unsigned kFirstOfTwoSources = 0x280;
    bool three = shape == Encoding::VOP3 && op < kFirstOfTwoSources && !(inst_.flags & kReadsDst);
    inst_.sources = shape == Encoding::VOP1 ? 1 : three ? 3 : 2;
    inst_.clamp = bits(word_, 15, 1);
    inst_.omod = static_cast<std::uint8_t>(bits(next_, 27, 2));
    inst_.neg = static_cast<std::uint8_t>(bits(next_, 29, 3));
    if (inst_.flags & kCarryOut) {
      inst_.sdst = static_cast<std::uint16_t>(bits(word_, 8, 7));
    } else {
      inst_.abs = static_cast<std::uint8_t>(bits(word_, 8, 3));
      inst_.opSel = static_cast<std::uint8_t>(bits(word_, 11, 4));
    }
    if (shape == Encoding::VOPC) {
      inst_.sdst = static_cast<std::uint16_t>(bits(word_, 0, 7));
      inst_.dst = kNoOperand;
    }
    unsigned mask = shape == Encoding::VOP3 ? kVccLo : inst_.src[2];
    for (unsigned k = inst_.sources; k < 4; ++k) inst_.src[k] = kNoOperand;
    impliedSources(mask);
  }

  void vop3p() {
    if (!row(Encoding::VOP3P, bits(word_, 16, 7))) return;
    inst_.form = Form::kVop3;
    inst_.sources = 3;
    inst_.dst = static_cast<std::uint16_t>(kVgpr + bits(word_, 0, 8));
    for (unsigned k = 0; k < 3; ++k) inst_.src[k] = static_cast<std::uint16_t>(bits(next_, 9 * k, 9));
    inst_.abs = static_cast<std::uint8_t>(bits(word_, 8, 3));
    inst_.neg = static_cast<std::uint8_t>(bits(next_, 29, 3));
    if (inst_.flags & kMatrix) {
      inst_.opSel = static_cast<std::uint8_t>(bits(word_, 11, 4));
      auto accumulate = [&](std::uint16_t& code, bool acc) {
        if (acc && code >= kVgpr) code = static_cast<std::uint16_t>(code - kVgpr + kAgpr);
      };
      accumulate(inst_.dst, bits(word_, 15, 1));
      accumulate(inst_.src[2], bits(word_, 15, 1));
      accumulate(inst_.src[0], bits(next_, 27, 1));
      accumulate(inst_.src[1], bits(next_, 28, 1));
    } else {
      inst_.opSel = static_cast<std::uint8_t>(bits(word_, 11, 3));
      inst_.opSelHi = static_cast<std::uint8_t>(bits(next_, 27, 2) | bits(word_, 14, 1) << 2);
      inst_.clamp = bits(word_, 15, 1);
    }
  }

  void smem() {
    if (!row(Encoding::SMEM, bits(word_, 18, 8))) return;
    inst_.dst = static_cast<std::uint16_t>(bits(word_, 6, 7));
    inst_.sdst = static_cast<std::uint16_t>(bits(word_, 0, 6) * 2);
    inst_.glc = bits(word_, 16, 1);
    bool immediate = bits(word_, 17, 1);
    bool offsetRegister = bits(word_, 14, 1);
    inst_.literal = immediate ? signExtend(bits(next_, 0, 21), 21) : 0;
    if (immediate && offsetRegister) inst_.src[0] = static_cast<std::uint16_t>(bits(next_, 25, 7));
    if (!immediate) inst_.src[0] = static_cast<std::uint16_t>(offsetRegister ? bits(next_, 25, 7) : bits(next_, 0, 7));
    inst_.offen = inst_.src[0] != kNoOperand;
  }

  std::uint16_t vectorRegister(unsigned low, bool acc = false) {
    return static_cast<std::uint16_t>(bits(next_, low, 8) + (acc ? kAgpr : kVgpr));
  }

  void ds() {
    if (!row(Encoding::DS, bits(word_, 17, 8))) return;
    bool acc = bits(word_, 25, 1);
    inst_.lds = bits(word_, 16, 1);
    inst_.offset0 = static_cast<std::uint8_t>(bits(word_, 0, 8));
    inst_.offset1 = static_cast<std::uint8_t>(bits(word_, 8, 8));
    inst_.literal = bits(word_, 0, 16);
    inst_.src[0] = vectorRegister(0);
    inst_.src[1] = vectorRegister(8, acc);
    inst_.src[2] = vectorRegister(16, acc);
    inst_.dst = vectorRegister(24, acc);
  }

  void flat() {
    constexpr Encoding kSegments[] = {Encoding::FLAT, Encoding::SCRATCH, Encoding::GLOBAL};
    unsigned segment = bits(word_, 14, 2);
    if (segment == 3 || !row(kSegments[segment], bits(word_, 18, 7))) return;
    bool acc = bits(next_, 23, 1);
    inst_.glc = bits(word_, 16, 1);
    inst_.lds = bits(word_, 13, 1);
    inst_.literal = segment == 0 ? bits(word_, 0, 12) : signExtend(bits(word_, 0, 13), 13);
    inst_.src[0] = vectorRegister(0);
    inst_.src[1] = vectorRegister(8, acc);
    if (segment != 0 && bits(next_, 16, 7) != 0x7f) inst_.sdst = static_cast<std::uint16_t>(bits(next_, 16, 7));
    inst_.dst = vectorRegister(24, acc);
  }

  void buffer() {
    bool acc = bits(next_, 23, 1);
    inst_.glc = bits(word_, 14, 1);
    inst_.idxen = bits(word_, 13, 1);
    inst_.offen = bits(word_, 12, 1);
    inst_.literal = bits(word_, 0, 12);
    inst_.src[0] = vectorRegister(0);
    inst_.src[1] = vectorRegister(8, acc);
    inst_.src[2] = static_cast<std::uint16_t>(bits(next_, 24, 8));
    inst_.sdst = static_cast<std::uint16_t>(bits(next_, 16, 5) * 4);
    inst_.dst = inst_.src[1];
  }

  void mubuf() {
    if (!row(Encoding::MUBUF, bits(word_, 18, 7))) return;
    buffer();
    inst_.lds = bits(word_, 16, 1);
  }

  void mtbuf() {
    if (!row(Encoding::MTBUF, bits(word_, 15, 4))) return;
    buffer();
    inst_.ext = bits(word_, 19, 7);
  }

  void mimg() {
    if (!row(Encoding::MIMG, bits(word_, 18, 7) | bits(word_, 0, 1) << 7)) return;
    inst_.ext = bits(word_, 8, 4);
    auto modifier = [&](std::uint32_t word, unsigned bit, std::uint32_t flag) {
      if (bits(word, bit, 1)) inst_.ext |= flag;
    };
    modifier(word_, 12, kImageUnnormalized);
    modifier(word_, 14, kImageArray);
    modifier(word_, 15, kImageA16);
    modifier(next_, 31, kImageD16);
    inst_.glc = bits(word_, 13, 1);
    inst_.src[0] = vectorRegister(0);
    inst_.src[1] = vectorRegister(8, bits(word_, 16, 1));
    inst_.src[2] = static_cast<std::uint16_t>(bits(next_, 21, 5) * 4);
    inst_.sdst = static_cast<std::uint16_t>(bits(next_, 16, 5) * 4);
    inst_.dst = inst_.src[1];
  }

  Inst inst_;
  std::uint32_t word_;
  std::uint32_t next_;
  unsigned available_;
  Gpu gpu_;
};

}  // namespace

Inst decode(const std::uint32_t* words, unsigned available, Gpu gpu) {
  return Decoder(words, available, gpu).decode();
}

}  // namespace hipr::softgpu
