// Read-modify-write operations, shared by scalar, flat, buffer and LDS instructions. An operation maps the old value
// and one or two operands to the new one; atomically() makes it indivisible.
#pragma once

#include <bit>
#include <cstdint>

#include "backends/softgpu/isa/half.h"

namespace hipr::softgpu::HIPR_LEVEL::atomic {

// T is the unsigned type of the memory cell; `compare` is used by cmpswap, mskor and wrap only.
#define ATOMIC(name, ...)                                                                                     \
  struct name {                                                                                               \
    template <class T>                                                                                        \
    static HIPR_INLINE T apply([[maybe_unused]] T old, [[maybe_unused]] T data, [[maybe_unused]] T compare) { \
      using S [[maybe_unused]] = std::make_signed_t<T>;                                                       \
      return static_cast<T>(__VA_ARGS__);                                                                     \
    }                                                                                                         \
  };
ATOMIC(Swap, data)
ATOMIC(CompareSwap, old == compare ? data : old)
ATOMIC(Add, old + data)
ATOMIC(Sub, old - data)
ATOMIC(ReverseSub, data - old)
ATOMIC(MinSigned, static_cast<S>(data) < static_cast<S>(old) ? data : old)
ATOMIC(MinUnsigned, data < old ? data : old)
ATOMIC(MaxSigned, static_cast<S>(data) > static_cast<S>(old) ? data : old)
ATOMIC(MaxUnsigned, data > old ? data : old)
ATOMIC(And, old& data)
ATOMIC(Or, old | data)
ATOMIC(Xor, old ^ data)
ATOMIC(Increment, old >= data ? 0 : old + 1)
ATOMIC(Decrement, old == 0 || old > data ? data : old - 1)
ATOMIC(MaskedOr, (old & ~compare) | data)  // compare: the mask, first operand of the instruction
ATOMIC(Wrap, old >= compare ? old - compare : old + data)
#undef ATOMIC

template <class T>
struct FloatOf;
template <>
struct FloatOf<std::uint32_t> {
  using Type = float;
};
template <>
struct FloatOf<std::uint64_t> {
  using Type = double;
};

#define ATOMIC_FLOAT(name, ...)                                                         \
  struct name {                                                                         \
    template <class T>                                                                  \
    static HIPR_INLINE T apply(T oldBits, T dataBits, [[maybe_unused]] T compareBits) { \
      using F = typename FloatOf<T>::Type;                                              \
      F old = std::bit_cast<F>(oldBits), data = std::bit_cast<F>(dataBits);             \
      [[maybe_unused]] F compare = std::bit_cast<F>(compareBits);                       \
      return std::bit_cast<T>(static_cast<F>(__VA_ARGS__));                             \
    }                                                                                   \
  };
ATOMIC_FLOAT(AddFloat, old + data)
ATOMIC_FLOAT(MinFloat, data < old || old != old ? data : old)
ATOMIC_FLOAT(MaxFloat, data > old || old != old ? data : old)
ATOMIC_FLOAT(CompareSwapFloat, old == compare ? data : old)
#undef ATOMIC_FLOAT

// Without denormals.
struct AddFloatFlushed {
  static HIPR_INLINE std::uint32_t flushed(std::uint32_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }
  static HIPR_INLINE std::uint32_t apply(std::uint32_t old, std::uint32_t data, std::uint32_t) {
    return flushed(AddFloat::apply(flushed(old), flushed(data), 0u));
  }
};

struct AddPackedHalf {
  static HIPR_INLINE std::uint32_t apply(std::uint32_t old, std::uint32_t data, std::uint32_t) {
    auto half = [](std::uint32_t x) { return toFloat(Half{static_cast<std::uint16_t>(x)}); };
    return toHalf(half(old) + half(data)).bits | std::uint32_t{toHalf(half(old >> 16) + half(data >> 16)).bits} << 16;
  }
};
struct AddPackedBfloat {
  static HIPR_INLINE std::uint32_t apply(std::uint32_t old, std::uint32_t data, std::uint32_t) {
    auto value = [](std::uint32_t x) { return bfloatToFloat(static_cast<std::uint16_t>(x)); };
    return toBfloat(value(old) + value(data)) | std::uint32_t{toBfloat(value(old >> 16) + value(data >> 16))} << 16;
  }
};

// What scalar, flat and buffer instructions can do to 32 and to 64 bits: ROW(name, operation, it compares).
#define INTEGER_ATOMICS(ROW)      \
  ROW(swap, Swap, false)          \
  ROW(cmpswap, CompareSwap, true) \
  ROW(add, Add, false)            \
  ROW(sub, Sub, false)            \
  ROW(smin, MinSigned, false)     \
  ROW(umin, MinUnsigned, false)   \
  ROW(smax, MaxSigned, false)     \
  ROW(umax, MaxUnsigned, false)   \
  ROW(and, And, false)            \
  ROW(or, Or, false)              \
  ROW(xor, Xor, false)            \
  ROW(inc, Increment, false)      \
  ROW(dec, Decrement, false)

// REQUIRES: `cell` is aligned.
template <class Op, class T>
HIPR_INLINE T atomically(T* cell, T data, T compare) {
  T old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(cell, &old, Op::apply(old, data, compare), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

}  // namespace hipr::softgpu::HIPR_LEVEL::atomic
