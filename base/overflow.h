// Sums and products of sizes that a program has given us, any of which may be absurd.
#pragma once

#include <cstdint>
#include <type_traits>

namespace hipr {

// True when the result does not fit; `*out` is then of no use.
template <class T>
constexpr bool addOverflows(T a, std::type_identity_t<T> b, std::type_identity_t<T>* out) {
  static_assert(std::is_unsigned_v<T>);
  *out = static_cast<T>(a + b);
  return *out < a;
}

template <class T>
constexpr bool mulOverflows(T a, std::type_identity_t<T> b, std::type_identity_t<T>* out) {
  static_assert(std::is_unsigned_v<T> && sizeof(T) == 8);
  *out = a * b;
  if (((a | b) >> 32) == 0) return false;  // nearly always, and much quicker than dividing
  return a != 0 && *out / a != b;
}

}  // namespace hipr
