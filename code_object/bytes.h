// Checked views into untrusted bytes. Every offset and length of a code object goes through these two functions, so no
// parser does arithmetic that could wrap or read past the end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace hipr::code {

static_assert(std::endian::native == std::endian::little, "code objects are little-endian and are read in place");

using Bytes = std::span<const std::byte>;

// The part [offset, offset + size) of `in`; false when it is not entirely inside.
inline bool slice(Bytes in, std::uint64_t offset, std::uint64_t size, Bytes& out) {
  if (offset > in.size() || size > in.size() - offset) return false;
  out = in.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  return true;
}

// A little-endian value at any alignment; false (and `out` untouched) when it does not fit.
template <class T>
bool readAt(Bytes in, std::uint64_t offset, T& out) {
  static_assert(std::is_trivially_copyable_v<T>);
  Bytes part;
  if (!slice(in, offset, sizeof(T), part)) return false;
  std::memcpy(&out, part.data(), sizeof(T));
  return true;
}

inline std::string_view asText(Bytes in) {
  return {reinterpret_cast<const char*>(in.data()), in.size()};
}

inline Bytes asBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline bool startsWith(Bytes in, std::string_view magic) {
  return asText(in).substr(0, magic.size()) == magic;
}

// a + b into `out`; false when it wraps.
inline bool addChecked(std::uint64_t a, std::uint64_t b, std::uint64_t& out) {
  out = a + b;
  return out >= a;
}

}  // namespace hipr::code
