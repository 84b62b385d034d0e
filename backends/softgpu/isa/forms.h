// What the SDWA and DPP forms add to an instruction: parts of dwords, and sources from other lanes.
#pragma once

#include "backends/softgpu/isa/operand.h"

namespace hipr::softgpu::HIPR_LEVEL {

// SDWA selects: 0-3 a byte, 4-5 a word, 6 the whole dword. Returns `in` or `out`, which may be the same.
Rows select(Rows in, unsigned sel, bool sext, std::uint32_t* out);
// Puts a result into the part of the destination that `ext` names: 0 pads with zeros, 1 sign-extends, 2 keeps the old
// bits.
void insert(std::uint32_t* out, Rows old, std::uint32_t ext);
// Lane l of `out` is lane from[l] % 64 of `in`.
void pullLanes(Rows in, Rows from, std::uint32_t* out);
// Fills `out` with source 0 as DPP moves it; returns the lanes DPP lets through to the destination.
std::uint64_t movedByDpp(Wave& w, std::uint32_t ext, Rows in, std::uint32_t* out, bool wide);

}  // namespace hipr::softgpu::HIPR_LEVEL
