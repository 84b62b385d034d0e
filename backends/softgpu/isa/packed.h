// Packed instructions (VOP3P): each result has a low and a high part, and op_sel/op_sel_hi choose which part of every
// source each of them sees. NEG applies to the low result's sources, NEG_HI (kept in `abs`) to the high one's.
#pragma once

#include "backends/softgpu/isa/operand.h"

namespace hipr::softgpu::HIPR_LEVEL {

// The 32-bit value of source k in every lane, constants as `kind` reads them.
Rows source32(const Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer);
// The halves of source k that the low (high = false) and the high result use, negated and flushed as asked.
void sourceHalves(const Wave& w, const Inst& i, unsigned k, Kind kind, bool high, std::uint32_t* out);
// Sources are pairs of dwords, or SGPR pairs; the dwords the low or the high result uses.
Rows sourceDwords(const Wave& w, const Inst& i, unsigned k, Kind kind, bool high, std::uint32_t* buffer);

// `loop` runs once for the low and once for the high part.
void runHalves(Wave& w, const Inst& i, const Shape& shape, Loop* loop);
void runDwords(Wave& w, const Inst& i, const Shape& shape, Loop* loop);

}  // namespace hipr::softgpu::HIPR_LEVEL
