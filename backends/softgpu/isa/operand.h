// Vector ALU operands. The only place, with operand.cpp, that knows how sources are read and results are written:
// inline constants, literals, SGPR broadcast, abs/neg/omod/clamp/op_sel, SDWA, DPP, EXEC.
//
// An operation is a function of one lane, and its C++ signature says everything about its operands:
//
//   LANE(v_add_f32, float, (float a, float b), a + b)
//
// float/double/Half are floating point (modifiers apply; HalfFloat is a half computed with as a float),
// [u]int16/32/64_t integers, bool a bit of a lane mask, Lane
// the lane number and MODE. A bool result is a compare; Carry<T> also writes a lane mask. LANE makes the plain handler
// (full speed) and the general one (every modifier, SDWA and DPP form) from it.
#pragma once

#include <bit>
#include <cstdint>

#include "backends/softgpu/isa/constants.h"
#include "backends/softgpu/isa/half.h"
#include "backends/softgpu/isa/half_rows.h"
#include "backends/softgpu/isa/level.h"

namespace hipr::softgpu::HIPR_LEVEL {

template <class T>
struct Carry {
  T value;
  bool carry;
};

struct Lane {
  int index;
  std::uint32_t mode;
};

enum class Kind : std::uint8_t { kNone, kU32, kI32, kF32, kU16, kI16, kF16, kU64, kI64, kF64, kMask, kLane };

constexpr bool isWide(Kind k) {
  return k == Kind::kU64 || k == Kind::kI64 || k == Kind::kF64;
}
constexpr bool isShort(Kind k) {
  return k == Kind::kU16 || k == Kind::kI16 || k == Kind::kF16;
}

constexpr bool isFloat(Kind k) {
  return k == Kind::kF16 || k == Kind::kF32 || k == Kind::kF64;
}

template <class T>
struct KindOf;
template <>
struct KindOf<std::uint32_t> {
  static constexpr Kind value = Kind::kU32;
};
template <>
struct KindOf<std::int32_t> {
  static constexpr Kind value = Kind::kI32;
};
template <>
struct KindOf<float> {
  static constexpr Kind value = Kind::kF32;
};
template <>
struct KindOf<std::uint16_t> {
  static constexpr Kind value = Kind::kU16;
};
template <>
struct KindOf<std::int16_t> {
  static constexpr Kind value = Kind::kI16;
};
template <>
struct KindOf<Half> {
  static constexpr Kind value = Kind::kF16;
};
template <>
struct KindOf<HalfFloat> {
  static constexpr Kind value = Kind::kF16;
};
template <>
struct KindOf<std::uint64_t> {
  static constexpr Kind value = Kind::kU64;
};
template <>
struct KindOf<std::int64_t> {
  static constexpr Kind value = Kind::kI64;
};
template <>
struct KindOf<double> {
  static constexpr Kind value = Kind::kF64;
};
template <>
struct KindOf<bool> {
  static constexpr Kind value = Kind::kMask;
};
template <>
struct KindOf<Lane> {
  static constexpr Kind value = Kind::kLane;
};

// Rows of 64 lanes; a 64-bit operand has its high halves 64 entries after the low ones, as registers lie.
using Rows = const std::uint32_t*;
inline constexpr unsigned kWideRows = 2 * kLanes;

// Some lanes, in the form this CPU blends by: bits, or a row of ~0 and 0.
#ifdef __AVX512F__
using LaneSet = std::uint64_t;
#else
using LaneSet = const std::uint32_t*;
#endif

// A lane mask as a row of ~0 and 0.
#ifdef __AVX512DQ__
HIPR_INLINE void expandMask(std::uint64_t mask, std::uint32_t* row) {
  for (int part = 0; part < kLanes; part += kVectorLanes)
    _mm512_storeu_si512(row + part, _mm512_movm_epi32(static_cast<__mmask16>(mask >> part)));
}
#else
void expandMask(std::uint64_t mask, std::uint32_t* row);
#endif

// `out` receives the value's rows in the lanes of `to` and may be one of the sources; compares and carries return all
// lanes where they hold.
using Loop = std::uint64_t(const Rows* sources, std::uint32_t* out, std::uint32_t mode, LaneSet to);

struct Shape {
  Kind sources[4];
  Kind result;
  bool carry;
};

// --- Shared by all operations, in operand.cpp.

// The scalar operand `code` as an operand of `kind`, in the low 32 or 64 bits.
std::uint64_t scalarOperand(const Wave& w, const Inst& i, unsigned code, Kind kind);
// Broadcast of a scalar source into `buffer`.
void splat(const Wave& w, const Inst& i, unsigned code, Kind kind, std::uint32_t* buffer);
// ABS and NEG; returns `in` or, changed, `out`, which may be the same.
Rows applySign(Rows in, Kind kind, bool abs, bool neg, std::uint32_t* out);
// MODE's share in floating point: flushing of denormals (`which`: 1 sources, 2 results), OMOD and CLAMP.
bool keepsDenormals(std::uint32_t mode, Kind kind, unsigned which);
void flushDenormals(std::uint32_t* row, Kind kind);
void modifyResult(std::uint32_t* rows, Kind kind, unsigned omod, bool clamp, std::uint32_t mode);
// The host rounds as MODE says while this lives.
class HostRounding {
 public:
  HostRounding(std::uint32_t mode, Kind result);
  ~HostRounding();
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  unsigned mode_;
};
// Any form: reads the sources with their modifiers, runs `loop`, writes the result with its own.
void runGeneral(Wave& w, const Inst& i, const Shape& shape, Loop* loop);

// Writes a compare's or carry's mask to SDST (and EXEC for v_cmpx). Bits of inactive lanes are zero.
HIPR_INLINE void writeMask(Wave& w, const Inst& i, std::uint64_t mask) {
  mask &= w.exec();
  w.setPair(i.sdst, mask);
  if (i.flags & kCmpx) w.setPair(kExecLo, mask);
}

// Scalar operands below it have their 32-bit value in Wave::s; 16-bit ones read floating point constants their own way.
constexpr unsigned scalarEnd(Kind kind) {
  return isShort(kind) ? 240 : kPastConstants;
}

// Source k without modifiers: the register itself, or a scalar in all lanes of `buffer`.
HIPR_INLINE Rows anyRow(const Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer) {
  unsigned code = i.src[k];
  if (kind == Kind::kLane) return nullptr;
  if (code >= kVgpr) return w.row(code);
  if (kind == Kind::kMask && code < kFirstConstant) {
    expandMask(w.pair(code), buffer);
    return buffer;
  }
  if ((code < scalarEnd(kind) || code == kLiteral) && !isWide(kind) && kind != Kind::kMask) {
    if (code >= kFirstConstant && code != kLiteral) return constantRows.of[code - kFirstConstant].data();
    std::uint32_t value = code == kLiteral ? i.literal : w.s[code];
    for (int l = 0; l < kLanes; ++l) buffer[l] = value;
  } else {
    splat(w, i, code, kind, buffer);
  }
  return buffer;
}

// The same with ABS and NEG.
HIPR_INLINE Rows signedRow(const Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer) {
  Rows in = anyRow(w, i, k, kind, buffer);
  if (!in || !(((i.abs | i.neg) >> k) & 1) || kind == Kind::kMask) return in;
  return applySign(in, kind, (i.abs >> k) & 1, (i.neg >> k) & 1, buffer);
}

// --- Results go to some lanes.

// blend: kVectorLanes values go to the lanes of `to` from lane `part` on.
#ifdef __AVX512F__
inline constexpr LaneSet kAllLanes = ~0ull;
HIPR_INLINE LaneSet laneSet(Wave&, std::uint64_t lanes) {
  return lanes;
}
HIPR_INLINE void blend(LaneSet to, int part, Rows values, std::uint32_t* row) {
  __m512i old = _mm512_loadu_si512(row);
  _mm512_storeu_si512(row, _mm512_mask_mov_epi32(old, static_cast<__mmask16>(to >> part), _mm512_loadu_si512(values)));
}
#else
inline constexpr LaneSet kAllLanes = constantRows.of[kMinusOne - kFirstConstant].data();
// The last set asked for is kept, and mostly that is EXEC again.
HIPR_INLINE LaneSet laneSet(Wave& w, std::uint64_t lanes) {
  if (lanes == ~0ull) return kAllLanes;
  if (w.laneMaskOf != lanes) {
    expandMask(lanes, w.laneMask);
    w.laneMaskOf = lanes;
  }
  return w.laneMask;
}
HIPR_INLINE void blend(LaneSet to, int part, Rows values, std::uint32_t* row) {
#pragma GCC ivdep
  for (int l = 0; l < kVectorLanes; ++l) row[l] = (values[l] & to[part + l]) | (row[l] & ~to[part + l]);
}
#endif

// Copies the rows to `lanes`.
HIPR_INLINE void storeLanes(Wave& w, std::uint64_t lanes, std::uint32_t* row, Rows values, unsigned rows) {
  LaneSet to = laneSet(w, lanes);
  for (unsigned r = 0; r < rows; ++r, row += kLanes, values += kLanes)
    for (int part = 0; part < kLanes; part += kVectorLanes) blend(to, part, values + part, row + part);
}
HIPR_INLINE void storeMasked(Wave& w, std::uint32_t* row, Rows values, unsigned rows) {
  storeLanes(w, w.exec(), row, values, rows);
}

// --- One lane of one operand.

template <class T>
HIPR_INLINE T load(Rows row, int lane, std::uint32_t mode) {
  if constexpr (std::is_same_v<T, Lane>)
    return Lane{lane, mode};
  else if constexpr (std::is_same_v<T, bool>)
    return row[lane] != 0;
  else if constexpr (std::is_same_v<T, Half>)
    return Half{static_cast<std::uint16_t>(row[lane])};
  else if constexpr (sizeof(T) == 2)
    return static_cast<T>(row[lane]);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(row[lane]);
  else
    return std::bit_cast<T>(row[lane] | std::uint64_t{row[lane + kLanes]} << 32);
}

template <class T>
HIPR_INLINE void store(std::uint32_t* row, int lane, T value) {
  if constexpr (std::is_same_v<T, bool>)
    row[lane] = value ? ~0u : 0u;
  else if constexpr (std::is_same_v<T, Half>)
    row[lane] = value.bits;
  else if constexpr (sizeof(T) == 2)
    row[lane] = static_cast<std::uint16_t>(value);
  else if constexpr (sizeof(T) == 4)
    row[lane] = std::bit_cast<std::uint32_t>(value);
  else {
    auto bits = std::bit_cast<std::uint64_t>(value);
    row[lane] = static_cast<std::uint32_t>(bits);
    row[lane + kLanes] = static_cast<std::uint32_t>(bits >> 32);
  }
}

}  // namespace hipr::softgpu::HIPR_LEVEL
