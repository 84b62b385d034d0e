// LDS addressing for DS instructions.
#pragma once

#include "backends/softgpu/isa/memory.h"

namespace hipr::softgpu::HIPR_LEVEL {

// Past the end of LDS there is nothing: reads give zero, writes and atomics are lost. Compilers and libraries count on
// it (a select of two loads, counters of bins that do not exist). Such lanes get 16 bytes of zeros each. REQUIRES:
// active lanes of `a` hold offsets from the start of LDS; they become addresses.
void placeInLds(Wave& w, unsigned bytes, Addresses& a);

// Addresses of [base + offset, + bytes) for the active lanes, base in bytes from the start of LDS. False when there are
// none; the GDS bit is a fault, as there is no such memory.
bool ldsAddresses(Wave& w, const Inst& i, Rows base, std::uint32_t offset, unsigned bytes, Addresses& a);

// LDS belongs to one workgroup and a workgroup runs on one thread at a time, so plain accesses are indivisible.
template <class Op, class T>
void runLdsAtomic(const Addresses& a, Rows data, Rows compare, std::uint32_t* result) {
  auto one = [&](int l) {
    T old;
    std::memcpy(&old, reinterpret_cast<const void*>(a.at[l]), sizeof old);
    T value = Op::apply(old, laneValue<T>(data, l), compare ? laneValue<T>(compare, l) : T{});
    std::memcpy(reinterpret_cast<void*>(a.at[l]), &value, sizeof value);
    if (!result) return;
    result[l] = static_cast<std::uint32_t>(old);
    if constexpr (sizeof(T) == 8) result[l + kLanes] = static_cast<std::uint32_t>(old >> 32);
  };
  if (a.active == ~0ull) {
    for (int l = 0; l < kLanes; ++l) one(l);
  } else {
    for (std::uint64_t left = a.active; left; left &= left - 1) one(std::countr_zero(left));
  }
}

}  // namespace hipr::softgpu::HIPR_LEVEL
