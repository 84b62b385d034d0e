// From rows of truth values to lane masks, a vector register at a time. Included by handler files only.
#pragma once

#include <cstdint>

#include "backends/softgpu/isa/wave.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace hipr::softgpu::HIPR_LEVEL {

// signBits: the top bit of each of kVectorLanes dwords.
#if defined(__AVX512DQ__)
inline constexpr int kVectorLanes = 16;
HIPR_INLINE std::uint64_t signBits(const std::uint32_t* truth) {
  return _mm512_movepi32_mask(_mm512_load_si512(truth));
}
#elif defined(__AVX2__)
inline constexpr int kVectorLanes = 8;
HIPR_INLINE std::uint64_t signBits(const std::uint32_t* truth) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(truth))));
}
#elif defined(__SSE2__)
inline constexpr int kVectorLanes = 4;
HIPR_INLINE std::uint64_t signBits(const std::uint32_t* truth) {
  return static_cast<unsigned>(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<const float*>(truth))));
}
#else
inline constexpr int kVectorLanes = 16;
HIPR_INLINE std::uint64_t signBits(const std::uint32_t* truth) {
  std::uint64_t bits = 0;
  for (int l = 0; l < kVectorLanes; ++l) bits |= std::uint64_t{truth[l] >> 31} << l;
  return bits;
}
#endif

}  // namespace hipr::softgpu::HIPR_LEVEL
