// Comparing text.
#pragma once

#include <algorithm>
#include <string_view>

namespace hipr {

// Capital and small letters of ASCII are the same.
inline bool sameIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace hipr
