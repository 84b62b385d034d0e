// What matrix instructions share. A wave multiplies `kBlocks` square tiles of kSize x kSize, D = A * B + C.
//
// Lane l holds row (of A) or column (of B) l % kSize; the groups of kSize lanes number the blocks and then K, in steps
// of the `kPer` values a lane holds. Of C and D a lane holds column l % kSize in every block.
#pragma once

#include "backends/softgpu/isa/fp8.h"

namespace hipr::softgpu::HIPR_LEVEL {

// --- Sources: value n of every lane, as the type the products are made in.

struct InF32 {
  using Value = float;
  static constexpr int kPerRow = 1;
  static HIPR_INLINE Value get(Rows rows, int lane, int, bool) { return std::bit_cast<float>(rows[lane]); }
};
struct InF64 {
  using Value = double;
  static constexpr int kPerRow = 1;  // of pairs
  static HIPR_INLINE Value get(Rows rows, int lane, int, bool) { return load<double>(rows, lane, 0); }
};
// Ten bits of mantissa, rounded to nearest even.
struct InXf32 {
  using Value = float;
  static constexpr int kPerRow = 1;
  static HIPR_INLINE Value get(Rows rows, int lane, int, bool) {
    std::uint32_t x = rows[lane];
    std::uint32_t rounded = (x + 0xfff + ((x >> 13) & 1)) & ~0x1fffu;
    return std::bit_cast<float>((x & 0x7f800000) == 0x7f800000 ? x : rounded);
  }
};
struct InF16 {
  using Value = float;
  static constexpr int kPerRow = 2;
  static HIPR_INLINE std::uint32_t bits(Rows rows, int lane, int n, bool flush) {
    std::uint32_t bits = (rows[lane] >> (16 * n)) & 0xffff;
    return flush && !(bits & 0x7c00) ? bits & 0x8000 : bits;
  }
};
struct InBf16 {
  using Value = float;
  static constexpr int kPerRow = 2;
  static HIPR_INLINE Value get(Rows rows, int lane, int n, bool flush) {
    std::uint32_t bits = n ? rows[lane] & 0xffff0000 : rows[lane] << 16;
    bits = flush && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
    return std::bit_cast<float>(bits);
  }
};
struct InI8 {
  using Value = std::uint32_t;  // sign-extended; arithmetic wraps
  static constexpr int kPerRow = 4;
  static HIPR_INLINE Value get(Rows rows, int lane, int n, bool) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(rows[lane] << (24 - 8 * n)) >> 24);
  }
};
template <class Format>
struct In8 {
  using Value = float;
  static constexpr int kPerRow = 4;
  static HIPR_INLINE Value get(Rows rows, int lane, int n, bool) {
    return Format::decode((rows[lane] >> (8 * n)) & 0xff);
  }
};

HIPR_INLINE float multiplyAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
HIPR_INLINE double multiplyAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
HIPR_INLINE std::uint32_t multiplyAdd(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return a * b + c;
}

template <class In, int kPer>
HIPR_INLINE void gather(const Wave& w, unsigned code, bool flush, typename In::Value (*out)[kLanes]) {
  constexpr unsigned kRows = sizeof(typename In::Value) / 4;
  for (int n = 0; n < kPer; ++n) {
    Rows rows = w.row(code) + static_cast<unsigned>(n / In::kPerRow) * kRows * kLanes;
    if constexpr (std::is_same_v<In, InF16>) {
      alignas(64) std::uint32_t halves[kLanes];
      for (int l = 0; l < kLanes; ++l) halves[l] = In::bits(rows, l, n % In::kPerRow, flush);
      for (int part = 0; part < kLanes; part += kVectorLanes) toFloats(halves + part, out[n] + part);
    } else {
      for (int l = 0; l < kLanes; ++l) out[n][l] = In::get(rows, l, n % In::kPerRow, flush);
    }
  }
}

// --- Results. Result register r of a lane is row `rowOf` of block `blockOf`.

template <class Value, int kSize, int kBlocks>
struct Tile {
  static constexpr int kGroups = kLanes / kSize;  // of lanes
  static constexpr int kResults = kSize * kSize * kBlocks / kLanes;
  static constexpr bool kGroupIsBlock = kBlocks >= kGroups;  // and not the row: 4x4 tiles of 32-bit values

  static constexpr int blockOf(int r, int group) {
    if (kSize == 4) return group % kBlocks;
    return r / (kSize * kSize / kLanes);
  }
  static constexpr int rowOf(int r, int group) {
    if (kSize == 4) return kGroupIsBlock && sizeof(Value) == 4 ? r : group / kBlocks;
    int n = r % (kSize * kSize / kLanes);
    if (sizeof(Value) == 8) return kGroups * n + group;
    return n / 4 * 4 * kGroups + 4 * group + n % 4;
  }
};

// Outputs of the matrix units that take 16-bit floats on CDNA2 are never denormal.
HIPR_INLINE float leave(float x, bool flush) {
  return flush ? flushed(x) : x;
}
HIPR_INLINE double leave(double x, bool) {
  return x;
}
HIPR_INLINE std::uint32_t leave(std::uint32_t x, bool) {
  return x;
}

}  // namespace hipr::softgpu::HIPR_LEVEL
