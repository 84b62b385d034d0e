// The three kinds of flat instructions: where each lane's address comes from. Each calls `access` with addresses of
// this process and the distance between a lane's dwords, once per kind of memory touched.
#pragma once

#include "backends/softgpu/isa/memory.h"

namespace hipr::softgpu::HIPR_LEVEL {

// Private memory interleaves the lanes' dwords.
inline constexpr unsigned kPrivateStride = 4 * kLanes;

// Plain function pointer plus context instead of a template: the address arithmetic exists once.
struct Accessor {
  void (*call)(const void* context, Addresses& a, unsigned stride);
  const void* context;
};

// The address where scratch instructions find all lanes side by side (privateSpan), or 0.
std::uint64_t scratchSpan(Wave& w, const Inst& i, unsigned bytes);

void flatAccess(Wave& w, const Inst& i, unsigned bytes, Accessor access);
void globalAccess(Wave& w, const Inst& i, unsigned bytes, Accessor access);
void scratchAccess(Wave& w, const Inst& i, unsigned bytes, Accessor access);

template <class F>
HIPR_INLINE Accessor accessor(const F& f) {
  return {[](const void* context, Addresses& a, unsigned stride) { (*static_cast<const F*>(context))(a, stride); }, &f};
}

}  // namespace hipr::softgpu::HIPR_LEVEL
