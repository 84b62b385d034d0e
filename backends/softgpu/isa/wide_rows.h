// 64-bit lanes lie in two rows, low and high dwords. Here kVectorLanes of them are brought together for a computation
// and taken apart again; in between they are in whatever order is cheapest. Included by handler files only.
#pragma once

#include "backends/softgpu/isa/lane_bits.h"

namespace hipr::softgpu::HIPR_LEVEL {

#if defined(__AVX512F__)
HIPR_INLINE void join(const std::uint32_t* lows, const std::uint32_t* highs, std::uint64_t* out) {
  __m512i low = _mm512_loadu_si512(lows), high = _mm512_loadu_si512(highs);
  _mm512_store_si512(out, _mm512_maskz_unpacklo_epi32(0xffff, low, high));
  _mm512_store_si512(out + 8, _mm512_maskz_unpackhi_epi32(0xffff, low, high));
}
HIPR_INLINE void lowDwords(const std::uint64_t* in, std::uint32_t* row) {
  _mm512_storeu_ps(row, _mm512_maskz_shuffle_ps(0xffff, _mm512_load_ps(in), _mm512_load_ps(in + 8), 0x88));
}
HIPR_INLINE void highDwords(const std::uint64_t* in, std::uint32_t* row) {
  _mm512_storeu_ps(row, _mm512_maskz_shuffle_ps(0xffff, _mm512_load_ps(in), _mm512_load_ps(in + 8), 0xdd));
}
#elif defined(__AVX2__)
HIPR_INLINE void join(const std::uint32_t* lows, const std::uint32_t* highs, std::uint64_t* out) {
  __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lows));
  __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(highs));
  _mm256_store_si256(reinterpret_cast<__m256i*>(out), _mm256_unpacklo_epi32(low, high));
  _mm256_store_si256(reinterpret_cast<__m256i*>(out + 4), _mm256_unpackhi_epi32(low, high));
}
HIPR_INLINE __m256 floatsAt(const std::uint64_t* in) {
  return _mm256_castsi256_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(in)));
}
HIPR_INLINE void lowDwords(const std::uint64_t* in, std::uint32_t* row) {
  __m256i dwords = _mm256_castps_si256(_mm256_shuffle_ps(floatsAt(in), floatsAt(in + 4), 0x88));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(row), dwords);
}
HIPR_INLINE void highDwords(const std::uint64_t* in, std::uint32_t* row) {
  __m256i dwords = _mm256_castps_si256(_mm256_shuffle_ps(floatsAt(in), floatsAt(in + 4), 0xdd));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(row), dwords);
}
#else
HIPR_INLINE void join(const std::uint32_t* lows, const std::uint32_t* highs, std::uint64_t* out) {
  for (int l = 0; l < kVectorLanes; ++l) out[l] = lows[l] | std::uint64_t{highs[l]} << 32;
}
HIPR_INLINE void lowDwords(const std::uint64_t* in, std::uint32_t* row) {
  for (int l = 0; l < kVectorLanes; ++l) row[l] = static_cast<std::uint32_t>(in[l]);
}
HIPR_INLINE void highDwords(const std::uint64_t* in, std::uint32_t* row) {
  for (int l = 0; l < kVectorLanes; ++l) row[l] = static_cast<std::uint32_t>(in[l] >> 32);
}
#endif

}  // namespace hipr::softgpu::HIPR_LEVEL
