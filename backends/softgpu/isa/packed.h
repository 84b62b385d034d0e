// Packed instructions (VOP3P): each result has a low and a high part, and op_sel/op_sel_hi choose which part of every
// source each of them sees. NEG applies to the low result's sources, NEG_HI (kept in `abs`) to the high one's.
#pragma once

#include "backends/softgpu/isa/lanes.h"

namespace hipr::softgpu::HIPR_LEVEL {

// The 32-bit value of source k in every lane, constants as `kind` reads them.
Rows source32(const Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer);
// Source k with the half the low result uses in the low word and the high one's in the high word, negated and flushed
// as asked.
Rows sourceHalves(const Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer);
// Sources are pairs of dwords, or SGPR pairs; the dwords the low or the high result uses.
Rows sourceDwords(const Wave& w, const Inst& i, unsigned k, Kind kind, bool high, std::uint32_t* buffer);

// Halves in the order the results use them, so that `loop` may take a row as 128 halves.
using HalvesLoop = void(const Rows* sources, std::uint32_t* out, std::uint32_t mode);
void runHalves(Wave& w, const Inst& i, const Shape& shape, HalvesLoop* loop);
// `loop` runs once for the low and once for the high part.
void runDwords(Wave& w, const Inst& i, const Shape& shape, Loop* loop);

// The loop of an operation on halves over both halves of every lane.
template <auto Fn>
struct Packed;

template <class R, class... A, R (*Fn)(A...)>
struct Packed<Fn> {
  static constexpr int kHalves = 2 * kLanes;
  static constexpr unsigned kSources = sizeof...(A);

  static void loop(const Rows* sources, std::uint32_t* out, std::uint32_t mode) {
    run(sources, reinterpret_cast<AnyU16*>(out), mode, std::make_index_sequence<kSources>{});
  }

 private:
  template <class T>
  HIPR_INLINE static T half(const AnyU16* row, int n, std::uint32_t mode) {
    if constexpr (std::is_same_v<T, Lane>)
      return Lane{n / 2, mode};
    else
      return std::bit_cast<T>(std::uint16_t{row[n]});
  }

  template <std::size_t... K>
  HIPR_INLINE static void run(const Rows* sources, AnyU16* out, std::uint32_t mode, std::index_sequence<K...>) {
    const AnyU16* rows[] = {reinterpret_cast<const AnyU16*>(sources[K])...};
    if constexpr (std::is_same_v<R, HalfFloat>) {
      for (int part = 0; part < kHalves; part += kVectorLanes) {
        alignas(64) float in[kSources][kVectorLanes], results[kVectorLanes];
        (toFloats(rows[K] + part, in[K]), ...);
        for (int l = 0; l < kVectorLanes; ++l) results[l] = Fn(in[K][l]...);
        toHalves(results, out + part);
      }
    } else {
#pragma GCC ivdep
      for (int n = 0; n < kHalves; ++n) out[n] = std::bit_cast<std::uint16_t>(Fn(half<A>(rows[K], n, mode)...));
    }
  }
};

}  // namespace hipr::softgpu::HIPR_LEVEL
