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

}  // namespace hipr::provider
