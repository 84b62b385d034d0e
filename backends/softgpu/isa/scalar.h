// Scalar operands, for handlers that work on SGPRs.
#pragma once

#include "backends/softgpu/isa/decode.h"
#include "backends/softgpu/isa/operand.h"

namespace hipr::softgpu::HIPR_LEVEL {

HIPR_INLINE std::uint32_t src32(const Wave& w, const Inst& i, unsigned k) {
  unsigned code = i.src[k];
  return code < 249 ? w.s[code] : static_cast<std::uint32_t>(scalarOperand(w, i, code, Kind::kU32));
}

HIPR_INLINE std::uint64_t src64(const Wave& w, const Inst& i, unsigned k, Kind kind = Kind::kU64) {
  unsigned code = i.src[k];
  return code < 128 ? w.pair(code) : scalarOperand(w, i, code, kind);
}

// Continues at `address`, in another code object if need be, or faults when there is no code.
static inline void jump(Wave& w, const Inst& i, std::uint64_t address) {
  const Inst* target = w.code->at(address);
  if (!target) {
    CodeCache* other = w.shared->services->codeAround(address);
    target = other ? other->at(address) : nullptr;
    if (target) w.code = other;
  }
  if (!target) return raise(w, i, FaultKind::kMemory, "jump to what is not code", -1, address);
  w.ip = target;
}

// Writes MODE. While it asks for indexed registers or for skipping, another loop runs the wave.
static inline void changeMode(Wave& w, std::uint32_t mode) {
  bool before = w.gprIndexing;
  setMode(w, mode);
  if (w.gprIndexing != before) w.leave();
}

HIPR_INLINE std::uint64_t afterInst(const Wave& w, const Inst& i) {
  return w.code->addressOf(i) + 4 * i.words;
}

// Results that also set SCC to "not zero".
HIPR_INLINE void setScc32(Wave& w, const Inst& i, std::uint32_t value) {
  w.s[i.dst] = value;
  w.scc = value != 0;
}
HIPR_INLINE void setScc64(Wave& w, const Inst& i, std::uint64_t value) {
  w.setPair(i.dst, value);
  w.scc = value != 0;
}

}  // namespace hipr::softgpu::HIPR_LEVEL
