// Scalar operands, for handlers that work on SGPRs.
#pragma once

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

}  // namespace hipr::softgpu::HIPR_LEVEL
