// Halves computed with as floats: HalfFloat is an operand of 16-bit kind whose lanes are converted a vector at a time,
// by the CPU's own instructions where it has them. Those quiet NaNs, so it is for arithmetic, which does that anyway.
#pragma once

#include "backends/softgpu/isa/half.h"
#include "backends/softgpu/isa/lane_bits.h"

namespace hipr::softgpu::HIPR_LEVEL {

struct HalfFloat {
  float value;
  HIPR_INLINE HalfFloat(float x) : value(x) {}
  HIPR_INLINE operator float() const { return value; }
};

using AnyU16 __attribute__((aligned(1), may_alias)) = std::uint16_t;

// kVectorLanes halves, in the low words of dwords or one next to the other, and back, rounded as the host does.
#if defined(__AVX512F__)
HIPR_INLINE void toFloats(const std::uint32_t* row, float* out) {
  _mm512_store_ps(out, _mm512_maskz_cvtph_ps(0xffff, _mm512_maskz_cvtepi32_epi16(0xffff, _mm512_loadu_si512(row))));
}
HIPR_INLINE void toHalves(const float* in, std::uint32_t* row) {
  __m256i halves = _mm512_maskz_cvtps_ph(0xffff, _mm512_load_ps(in), _MM_FROUND_CUR_DIRECTION);
  _mm512_storeu_si512(row, _mm512_maskz_cvtepu16_epi32(0xffff, halves));
}
HIPR_INLINE void toFloats(const AnyU16* halves, float* out) {
  __m256i in = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves));
  _mm512_store_ps(out, _mm512_maskz_cvtph_ps(0xffff, in));
}
HIPR_INLINE void toHalves(const float* in, AnyU16* halves) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(halves),
                      _mm512_maskz_cvtps_ph(0xffff, _mm512_load_ps(in), _MM_FROUND_CUR_DIRECTION));
}
#elif defined(__AVX2__) && defined(__F16C__)
HIPR_INLINE void toFloats(const std::uint32_t* row, float* out) {
  __m256i words =
      _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)), _mm256_set1_epi32(0xffff));
  __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(words, words), 0x08);
  _mm256_store_ps(out, _mm256_cvtph_ps(_mm256_castsi256_si128(packed)));
}
HIPR_INLINE void toHalves(const float* in, std::uint32_t* row) {
  __m128i halves = _mm256_cvtps_ph(_mm256_load_ps(in), _MM_FROUND_CUR_DIRECTION);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(row), _mm256_cvtepu16_epi32(halves));
}
HIPR_INLINE void toFloats(const AnyU16* halves, float* out) {
  _mm256_store_ps(out, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves))));
}
HIPR_INLINE void toHalves(const float* in, AnyU16* halves) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(halves), _mm256_cvtps_ph(_mm256_load_ps(in), _MM_FROUND_CUR_DIRECTION));
}
#else
HIPR_INLINE void toFloats(const std::uint32_t* row, float* out) {
  for (int l = 0; l < kVectorLanes; ++l) out[l] = toFloat(Half{static_cast<std::uint16_t>(row[l])});
}
HIPR_INLINE void toHalves(const float* in, std::uint32_t* row) {
  for (int l = 0; l < kVectorLanes; ++l) row[l] = toHalf(in[l]).bits;
}
HIPR_INLINE void toFloats(const AnyU16* halves, float* out) {
  for (int l = 0; l < kVectorLanes; ++l) out[l] = toFloat(Half{halves[l]});
}
HIPR_INLINE void toHalves(const float* in, AnyU16* halves) {
  for (int l = 0; l < kVectorLanes; ++l) halves[l] = toHalf(in[l]).bits;
}
#endif

// a * b + c, such that rounding it to the nearest half gives what rounding the exact result does. The product is exact;
// the sum, if it is not, gets the odd one of its two neighbours, on which a second rounding cannot go wrong.
static HIPR_INLINE HalfFloat fusedToNearest(HalfFloat a, HalfFloat b, HalfFloat c) {
  float product = a * b, sum = product + c;
  float part = sum - product, error = (product - (sum - part)) + (c - part);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(sum);
  bool inexact = error < 0.0f || error > 0.0f;  // not so of infinities and NaNs, where it is a NaN
  bool away = (error < 0.0f) == (sum > 0.0f);
  std::uint32_t odd = (bits - (away ? 1 : 0)) | 1;
  return std::bit_cast<float>(inexact ? odd : bits);
}
// The same for rounding up, down or toward zero: twice in one direction is as good as once.
static HIPR_INLINE HalfFloat fusedOneWay(HalfFloat a, HalfFloat b, HalfFloat c) {
  return a * b + c;
}
HIPR_INLINE bool roundsHalvesOneWay(std::uint32_t mode) {
  return (mode >> 2) & 3;
}

}  // namespace hipr::softgpu::HIPR_LEVEL
