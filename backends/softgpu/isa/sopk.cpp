// Scalar instructions with a 16-bit immediate; hardware registers.
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {

using U32 = std::uint32_t;
using I32 = std::int32_t;
using I64 = std::int64_t;

RUN(s_movk_i32) {
  w.s[i.dst] = i.literal;
}
RUN(s_cmovk_i32) {
  if (w.scc) w.s[i.dst] = i.literal;
}

// The immediate is sign-extended for signed compares and zero-extended for unsigned ones.
#define COMPARE_SIGNED(name, order)                                         \
  RUN(name) {                                                               \
    w.scc = static_cast<I32>(w.s[i.dst]) order static_cast<I32>(i.literal); \
  }
#define COMPARE_UNSIGNED(name, order)             \
  RUN(name) {                                     \
    w.scc = w.s[i.dst] order(i.literal & 0xffff); \
  }
COMPARE_SIGNED(s_cmpk_eq_i32, ==)
COMPARE_SIGNED(s_cmpk_lg_i32, !=)
COMPARE_SIGNED(s_cmpk_gt_i32, >)
COMPARE_SIGNED(s_cmpk_ge_i32, >=)
COMPARE_SIGNED(s_cmpk_lt_i32, <)
COMPARE_SIGNED(s_cmpk_le_i32, <=)
COMPARE_UNSIGNED(s_cmpk_eq_u32, ==)
COMPARE_UNSIGNED(s_cmpk_lg_u32, !=)
COMPARE_UNSIGNED(s_cmpk_gt_u32, >)
COMPARE_UNSIGNED(s_cmpk_ge_u32, >=)
COMPARE_UNSIGNED(s_cmpk_lt_u32, <)
COMPARE_UNSIGNED(s_cmpk_le_u32, <=)

RUN(s_addk_i32) {
  I64 sum = I64{static_cast<I32>(w.s[i.dst])} + static_cast<I32>(i.literal);
  w.scc = sum != static_cast<I32>(sum);
  w.s[i.dst] = static_cast<U32>(sum);
}
RUN(s_mulk_i32) {
  w.s[i.dst] *= i.literal;
}

RUN(s_call_b64) {
  std::uint64_t next = afterInst(w, i);
  w.setPair(i.dst, next);
  jump(w, i, next + static_cast<std::uint64_t>(I64{static_cast<I32>(i.literal)} * 4));
}

namespace {

enum HwReg : unsigned { kModeReg = 1, kStatus = 2, kTrapStatus = 3, kHwId = 4, kMemBases = 15 };

U32 readHwReg(const Wave& w, unsigned id) {
  switch (id) {
    case kModeReg:
      return w.mode;
    case kStatus:
      return U32{w.scc} | U32{w.exec() == 0} << 9 | U32{w.vcc() == 0} << 10 | 1u << 16;
    case kTrapStatus:
      return w.trapStatus;
    case kHwId: {
      // wave 3:0, SIMD 5:4, CU 11:8, SE 14:13: a place that differs between neighbouring workgroups.
      U32 place = w.group->id[0];
      return (w.idInGroup >> 2 & 15) | (w.idInGroup & 3) << 4 | (place % 14) << 8 | (place / 14 % 4) << 13;
    }
    case kMemBases:
      return (kPrivateBase >> 16) | (kSharedBase >> 16) << 16;
    default:
      return 0;
  }
}

// The immediate: register 5:0, first bit 10:6, bits - 1 15:11.
struct Field {
  unsigned id, shift;
  U32 mask;
};
Field fieldOf(const Inst& i) {
  unsigned size = (i.literal >> 11 & 31) + 1;
  return {i.literal & 63, i.literal >> 6 & 31, size == 32 ? ~0u : (1u << size) - 1};
}

void writeHwReg(Wave& w, const Inst& i, U32 value) {
  Field f = fieldOf(i);
  auto merge = [&](U32 old) { return (old & ~(f.mask << f.shift)) | (value & f.mask) << f.shift; };
  if (f.id == kModeReg) changeMode(w, merge(w.mode));
  if (f.id == kTrapStatus) w.trapStatus = merge(w.trapStatus);
}

}  // namespace

RUN(s_getreg_b32) {
  Field f = fieldOf(i);
  w.s[i.dst] = (readHwReg(w, f.id) >> f.shift) & f.mask;
}
RUN(s_setreg_b32) {
  writeHwReg(w, i, w.s[i.dst]);
}
RUN(s_setreg_imm32_b32) {
  writeHwReg(w, i, i.ext);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
