// From a function of one lane to the handlers of an instruction.
#pragma once

#include "backends/softgpu/isa/operand.h"
#include "backends/softgpu/isa/wide_rows.h"

namespace hipr::softgpu::HIPR_LEVEL {

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

// --- 64-bit computations on joined rows; 32-bit operands are the low dwords.

template <class T>
HIPR_INLINE void joinSource(Rows row, int part, std::uint64_t* out) {
  if constexpr (!std::is_same_v<T, Lane>) join(row + part, row + part + (sizeof(T) == 8 ? kLanes : 0), out);
}
template <class T>
HIPR_INLINE T joined(std::uint64_t x, std::uint32_t mode) {
  if constexpr (std::is_same_v<T, Lane>) {
    return Lane{0, mode};
  } else if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(x);
  } else {
    auto low = static_cast<std::uint32_t>(x);
    return load<T>(&low, 0, mode);
  }
}
template <class T>
HIPR_INLINE std::uint64_t widened(T value) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    std::uint32_t row[1];
    store(row, 0, value);
    return row[0];
  }
}

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
  static constexpr bool kIsMask = std::is_same_v<Result, bool>;
  static constexpr bool kDirect = !kCarries && !kIsMask;  // no lane mask to build
  static constexpr bool kAnyNarrow = ((!isWide(KindOf<A>::value) && !std::is_same_v<A, Lane>) || ...);
  // 32-bit factors of a wide sum multiply faster as they lie.
  static constexpr bool kWide =
      (isWide(KindOf<Result>::value) || (isWide(KindOf<A>::value) || ...)) && !(kCarries && kAnyNarrow);
  static constexpr bool kTakesScalar = !kWide && !std::is_same_v<Result, HalfFloat> && !isWide(kKinds[0]) &&
                                       kKinds[0] != Kind::kMask && kKinds[0] != Kind::kLane;
  static constexpr bool kHasFloat = isFloat(KindOf<Result>::value) || (isFloat(KindOf<A>::value) || ...);

  static std::uint64_t loop(const Rows* sources, std::uint32_t* out, std::uint32_t mode, LaneSet to) {
    if (to != kAllLanes) return some(sources, out, mode, to);
    return run<false, false>(sources, out, mode, to, std::make_index_sequence<kSources>{});
  }
  static std::uint64_t some(const Rows* sources, std::uint32_t* out, std::uint32_t mode, LaneSet to) {
    return run<false, true>(sources, out, mode, to, std::make_index_sequence<kSources>{});
  }

  // Lanes are independent even where `out` is one of the sources: each is read before it is written. With kScalar
  // source 0 is one value, not a row; without kSome the lanes written are all.
  template <bool kScalar, bool kSome, std::size_t... K>
  HIPR_INLINE static std::uint64_t run(const Rows* sources, std::uint32_t* out, std::uint32_t mode,
                                       [[maybe_unused]] LaneSet to, std::index_sequence<K...> indices) {
    Rows rows[kSources + 1] = {sources[K]...};
    std::uint64_t mask = 0;
    if constexpr (kDirect && !kSome && !kWide && !std::is_same_v<Result, HalfFloat>) {
#pragma GCC ivdep
      for (int l = 0; l < kLanes; ++l) store<Result>(out, l, Fn(load<A>(rows[K], kScalar && K == 0 ? 0 : l, mode)...));
    } else {
      // A vector of lanes at a time: what is in between stays in registers.
      for (int part = 0; part < kLanes; part += kVectorLanes) {
        alignas(64) std::uint32_t results[kLanes + kVectorLanes];  // high dwords a row after low ones, as in registers
        std::uint32_t* here = kSome || kIsMask ? results : out + part;  // a mask has no rows
        if constexpr (std::is_same_v<Result, HalfFloat>)
          halves(rows, here, part, indices);
        else if constexpr (kWide)
          mask |= wide(rows, here, mode, part, indices) << part;
        else
          mask |= narrow<kScalar>(rows, here, mode, part, indices) << part;
        for (unsigned row = 0; kSome && !kIsMask && row < kResultRows * kLanes; row += kLanes)
          blend(to, part, results + row, out + row + part);
      }
    }
    return mask;
  }

  template <std::size_t... K>
  HIPR_INLINE static void halves(const Rows* rows, std::uint32_t* out, int part, std::index_sequence<K...>) {
    static_assert((std::is_same_v<A, HalfFloat> && ...));
    alignas(64) float in[kSources][kVectorLanes], results[kVectorLanes];
    (toFloats(rows[K] + part, in[K]), ...);
    for (int l = 0; l < kVectorLanes; ++l) results[l] = Fn(in[K][l]...);
    toHalves(results, out);
  }

  template <bool kScalar, std::size_t... K>
  HIPR_INLINE static std::uint64_t narrow(const Rows* rows, std::uint32_t* out, std::uint32_t mode, int part,
                                          std::index_sequence<K...>) {
    alignas(64) std::uint32_t truth[kVectorLanes];
#pragma GCC ivdep
    for (int l = 0; l < kVectorLanes; ++l) {
      R r = Fn(load<A>(rows[K], kScalar && K == 0 ? 0 : part + l, mode)...);
      if constexpr (kCarries)
        store<Result>(out, l, r.value);
      else if constexpr (kDirect)
        store<Result>(out, l, r);
      if constexpr (!kDirect) store<bool>(truth, l, carried(r));
    }
    return kDirect ? 0 : signBits(truth);
  }

  // With 64-bit operands. The order of lanes is not theirs in between, so `Lane` gives MODE only.
  template <std::size_t... K>
  HIPR_INLINE static std::uint64_t wide(const Rows* rows, std::uint32_t* out, std::uint32_t mode, int part,
                                        std::index_sequence<K...>) {
    alignas(64) std::uint64_t in[kSources][kVectorLanes], results[kVectorLanes], truth[kVectorLanes];
    (joinSource<A>(rows[K], part, in[K]), ...);
    for (int l = 0; l < kVectorLanes; ++l) {
      R r = Fn(joined<A>(in[K][l], mode)...);
      if constexpr (kCarries)
        results[l] = widened(r.value);
      else if constexpr (kDirect)
        results[l] = widened(r);
      if constexpr (!kDirect) truth[l] = carried(r) ? ~0ull : 0;
    }
    if constexpr (!kIsMask) lowDwords(results, out);
    if constexpr (!kIsMask && kResultRows == 2) highDwords(results, out + kLanes);
    if constexpr (kDirect) return 0;
    alignas(64) std::uint32_t lows[kVectorLanes];
    lowDwords(truth, lows);
    return signBits(lows);
  }

  HIPR_INLINE static bool carried(const R& r) {
    if constexpr (kCarries)
      return r.carry;
    else if constexpr (kIsMask)
      return r;
    else
      return false;
  }

  static void plain(Wave& w, const Inst& i) {
    if (!kHasFloat || w.plainFloat) [[likely]] {
      if (i.mix == Mix::kRegisters) [[likely]]
        return registers(w, i, std::make_index_sequence<kSources>{});
      if constexpr (kTakesScalar) {
        if (i.mix == Mix::kScalarFirst && hasDword(i)) return scalarFirst(w, i, std::make_index_sequence<kSources>{});
      }
    }
    mixed(w, i, std::make_index_sequence<kSources>{});
  }

  // Source 0 is what a dword holds; 16-bit operands read floating point constants their own way.
  HIPR_INLINE static bool hasDword(const Inst& i) {
    return !isShort(kKinds[0]) || i.src[0] < scalarEnd(kKinds[0]) || i.src[0] == kLiteral;
  }

  HIPR_INLINE static Rows registerRow(const Wave& w, const Inst& i, unsigned k, std::uint32_t* buffer) {
    return kKinds[k] == Kind::kMask ? anyRow(w, i, k, Kind::kMask, buffer) : w.vgpr(i.src[k]);
  }

  template <std::size_t... K>
  HIPR_INLINE static void registers(Wave& w, const Inst& i, std::index_sequence<K...> sources) {
    alignas(64) std::uint32_t maskRow[kLanes];
    Rows rows[kSources + 1] = {registerRow(w, i, K, maskRow)...};
    std::uint32_t* out = kIsMask ? nullptr : w.vgpr(i.dst);
    std::uint64_t exec = w.exec();
    std::uint64_t mask = kIsMask || exec == ~0ull ? run<false, false>(rows, out, w.mode, kAllLanes, sources)
                                                  : some(rows, out, w.mode, laneSet(w, exec));
    if constexpr (!kDirect) writeMask(w, i, mask);
  }

  // The most common mix.
  template <std::size_t... K>
  [[gnu::noinline]] static void scalarFirst(Wave& w, const Inst& i, std::index_sequence<K...> sources) {
    alignas(64) std::uint32_t maskRow[kLanes], scalarRow[kLanes];
    Rows scalar = i.src[0] == kLiteral ? &i.literal : &w.s[i.src[0]];
    Rows rows[kSources + 1] = {K == 0 ? scalar : registerRow(w, i, K, maskRow)...};
    std::uint32_t* out = kIsMask ? nullptr : w.vgpr(i.dst);
    std::uint64_t exec = w.exec(), mask;
    if (kIsMask || exec == ~0ull) {
      mask = run<true, false>(rows, out, w.mode, kAllLanes, sources);
    } else {
      for (std::uint32_t& lane : scalarRow) lane = *scalar;
      rows[0] = scalarRow;
      mask = some(rows, out, w.mode, laneSet(w, exec));
    }
    if constexpr (!kDirect) writeMask(w, i, mask);
  }

  // Any operands, any EXEC.
  template <std::size_t... K>
  [[gnu::noinline]] static void mixed(Wave& w, const Inst& i, std::index_sequence<K...>) {
    if (kHasFloat && !w.plainFloat) return general(w, i);
    alignas(64) std::uint32_t buffers[kSources + 1][kWideRows];
    Rows rows[kSources + 1] = {anyRow(w, i, K, kKinds[K], buffers[K])...};
    std::uint64_t mask = loop(rows, kIsMask ? nullptr : w.row(i.dst), w.mode, laneSet(w, w.exec()));
    if constexpr (!kDirect) writeMask(w, i, mask);
  }

  // Nothing but signs to change in the sources.
  template <std::size_t... K>
  HIPR_INLINE static void withSigns(Wave& w, const Inst& i, std::index_sequence<K...>) {
    alignas(64) std::uint32_t buffers[kSources][kWideRows];
    Rows rows[kSources + 1] = {signedRow(w, i, K, kKinds[K], buffers[K])...};
    loop(rows, w.row(i.dst), w.mode, laneSet(w, w.exec()));
  }

  static void general(Wave& w, const Inst& i) {
    if constexpr (kHasFloat && kDirect) {
      if (i.onlySigns && w.plainFloat) return withSigns(w, i, std::make_index_sequence<kSources>{});
    }
    runGeneral(w, i, kShape, loop);
  }
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
