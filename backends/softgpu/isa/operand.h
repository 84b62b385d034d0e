// Vector ALU operands. The only place, with operand.cpp, that knows how sources are read and results are written:
// inline constants, literals, SGPR broadcast, abs/neg/omod/clamp/op_sel, SDWA, DPP, EXEC.
//
// An operation is a function of one lane, and its C++ signature says everything about its operands:
//
//   LANE(v_add_f32, float, (float a, float b), a + b)
//
// float/double/Half are floating point (modifiers apply), [u]int16/32/64_t integers, bool a bit of a lane mask, Lane
// the lane number and MODE. A bool result is a compare; Carry<T> also writes a lane mask. LANE makes the plain handler
// (full speed) and the general one (every modifier, SDWA and DPP form) from it.
#pragma once

#include <bit>
#include <cstdint>

#include "backends/softgpu/isa/half.h"
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

// `out` receives the value's rows and then, for Carry, a row of lane masks. May be one of the sources.
using Loop = void(const Rows* sources, std::uint32_t* out, std::uint32_t mode);

struct Shape {
  Kind sources[4];
  Kind result;
  bool carry;
};

// --- Shared by all operations, in operand.cpp.

// The scalar operand `code` as an operand of `kind`, in the low 32 or 64 bits.
std::uint64_t scalarOperand(const Wave& w, const Inst& i, unsigned code, Kind kind);
// Copies the rows to the lanes of EXEC.
void storeMasked(Wave& w, std::uint32_t* row, Rows values, unsigned rows);
// Lane masks: bit to ~0/0 and back (back: nonzero is one).
void expandMask(std::uint64_t mask, std::uint32_t* row);
std::uint64_t packMask(Rows row);
// Broadcast of a scalar source into `buffer`.
void splat(const Wave& w, const Inst& i, unsigned code, Kind kind, std::uint32_t* buffer);
// MODE's share in floating point: flushing of denormals (`which`: 1 sources, 2 results), OMOD and CLAMP.
bool keepsDenormals(std::uint32_t mode, Kind kind, unsigned which);
void flushDenormals(std::uint32_t* row, Kind kind);
void modifyResult(std::uint32_t* rows, Kind kind, unsigned omod, bool clamp, std::uint32_t mode);
// The host rounds as MODE says while this lives. Halves are made by integer code that rounds to nearest.
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
void writeMask(Wave& w, const Inst& i, std::uint64_t mask);

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

template <class T>
struct ResultOf {
  using Type = T;
  static constexpr bool kCarry = false;
};
template <class T>
struct ResultOf<Carry<T>> {
  using Type = T;
  static constexpr bool kCarry = true;
};

// --- From a lane function to its handlers.

template <auto Fn>
struct Lanes;

template <class R, class... A, R (*Fn)(A...)>
struct Lanes<Fn> {
  using Result = typename ResultOf<R>::Type;
  static constexpr bool kCarries = ResultOf<R>::kCarry;
  static constexpr unsigned kSources = sizeof...(A);
  static constexpr unsigned kResultRows = sizeof(Result) == 8 ? 2 : 1;
  static constexpr Kind kKinds[4 + 1] = {KindOf<A>::value...};
  static constexpr Shape kShape{{kKinds[0], kKinds[1], kKinds[2], kKinds[3]}, KindOf<Result>::value, kCarries};
  static constexpr bool kDirect = !kCarries && !std::is_same_v<Result, bool>;  // no lane mask to build
  static constexpr bool kHasFloat = isFloat(KindOf<Result>::value) || (isFloat(KindOf<A>::value) || ...);

  static void loop(const Rows* sources, std::uint32_t* out, std::uint32_t mode) {
    run(sources, out, mode, std::make_index_sequence<kSources>{});
  }

  template <std::size_t... K>
  HIPR_INLINE static void run(const Rows* sources, std::uint32_t* out, std::uint32_t mode, std::index_sequence<K...>) {
    Rows rows[kSources + 1] = {sources[K]...};
    // Lanes are independent even where `out` is one of the sources: each is read before it is written.
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) {
      R r = Fn(load<A>(rows[K], l, mode)...);
      if constexpr (kCarries) {
        store<Result>(out, l, r.value);
        store<bool>(out + kResultRows * kLanes, l, r.carry);
      } else {
        store<Result>(out, l, r);
      }
    }
  }

  static void plain(Wave& w, const Inst& i) {
    if (kDirect && i.vectorOnly && w.exec() == ~0ull && (!kHasFloat || w.plainFloat)) [[likely]] {
      Rows rows[kSources + 1];
      for (unsigned k = 0; k < kSources; ++k) rows[k] = w.vgpr(i.src[k]);
      run(rows, w.vgpr(i.dst), w.mode, std::make_index_sequence<kSources>{});
    } else {
      mixed(w, i);
    }
  }

  // Any operands, any EXEC.
  [[gnu::noinline]] static void mixed(Wave& w, const Inst& i) {
    if (kHasFloat && !w.plainFloat) return general(w, i);
    alignas(64) std::uint32_t buffers[kSources + 1][kWideRows];
    alignas(64) std::uint32_t out[3 * kLanes];
    Rows rows[kSources + 1];
    for (unsigned k = 0; k < kSources; ++k) {
      unsigned code = i.src[k];
      if (kKinds[k] == Kind::kLane) continue;
      if (code >= kVgpr) {
        rows[k] = w.row(code);
      } else {
        splat(w, i, code, kKinds[k], buffers[k]);
        rows[k] = buffers[k];
      }
    }
    if (kDirect && w.exec() == ~0ull) return loop(rows, w.row(i.dst), w.mode);
    loop(rows, out, w.mode);
    if constexpr (std::is_same_v<Result, bool>) return writeMask(w, i, packMask(out));
    storeMasked(w, w.row(i.dst), out, kResultRows);
    if constexpr (kCarries) writeMask(w, i, packMask(out + kResultRows * kLanes));
  }

  static void general(Wave& w, const Inst& i) { runGeneral(w, i, kShape, loop); }
};

// The same operation with another meaning when CLAMP is set: integer instructions saturate instead of wrapping.
template <auto Fn, auto Saturating>
void saturatingGeneral(Wave& w, const Inst& i) {
  runGeneral(w, i, Lanes<Fn>::kShape, i.clamp ? Lanes<Saturating>::loop : Lanes<Fn>::loop);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

#define LANE(name, result, parameters, ...)          \
  static HIPR_INLINE result name##_lane parameters { \
    return (__VA_ARGS__);                            \
  }                                                  \
  const Impl name{Lanes<name##_lane>::plain, Lanes<name##_lane>::general};

// LANE whose result under CLAMP is the second expression.
#define LANE_SATURATING(name, result, parameters, wrapped, saturated) \
  static HIPR_INLINE result name##_lane parameters {                  \
    return (wrapped);                                                 \
  }                                                                   \
  static HIPR_INLINE result name##_saturated parameters {             \
    return (saturated);                                               \
  }                                                                   \
  const Impl name{Lanes<name##_lane>::plain, saturatingGeneral<name##_lane, name##_saturated>};
