// Text into fixed fields: always terminated, never longer than the field, the rest of the field untouched.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

namespace hipr::provider {

template <std::size_t kSize>
void setText(char (&field)[kSize], std::string_view text) {
  const std::size_t length = std::min(text.size(), kSize - 1);
  std::memcpy(field, text.data(), length);
  field[length] = 0;
}

// What a driver has not filled in may be anything; this is "" where it is no text.
inline std::string_view readable(std::string_view text) {
  const bool bad =
      std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f || c == 0xff; });
  return bad ? std::string_view() : text;
}

}  // namespace hipr::provider
