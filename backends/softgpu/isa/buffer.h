// Buffer descriptors (V#) and the addresses made from them.
#pragma once

#include "backends/softgpu/isa/window.h"

namespace hipr::softgpu::HIPR_LEVEL {

struct BufferDescriptor {
  std::uint64_t base;
  std::uint32_t stride;
  std::uint32_t records;
  unsigned indexStride;  // lanes that are interleaved
  bool swizzle;
  bool addLane;
  std::uint8_t format;  // number format and data format, as a typed instruction would name them

  static bool read(Wave& w, const Inst& i, BufferDescriptor& d);  // false after raising a fault
};

// Addresses of `bytes` at `extra` past each lane's place. `a.active` has the lanes that are inside the buffer only; the
// other active ones read zero and write nothing. False after raising a fault.
bool bufferAddresses(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned extra, unsigned bytes, Addresses& a);

// As globalSpan(), globalWindow() and privateSpan(), through a descriptor.
std::uint64_t bufferSpan(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned dwords);
bool bufferWindow(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned dwords, Window& window);
std::uint64_t stackSpan(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned dwords);

// Up to four dwords of each lane. Lanes outside the buffer have zeros and write nothing.
using Element = std::uint32_t[4][kLanes];
// Moves `bytes` of each lane piece by piece: right for every address, also where a swizzled one is not aligned and
// each byte has a place of its own. False after raising a fault.
bool loadElements(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned bytes, Element& to);
bool storeElements(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned bytes, Element& from);
// Some active lane's `bytes` are not within one of the dwords that swizzling moves about.
bool straddles(const BufferDescriptor& d, const Addresses& a, unsigned bytes);

// Writes zero to `rows` registers of the active lanes that are not in `inside`.
void zeroOutside(Wave& w, std::uint64_t inside, std::uint32_t* row, unsigned rows);

}  // namespace hipr::softgpu::HIPR_LEVEL
