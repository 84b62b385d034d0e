// Comparing and quoting text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace hipr {

// Capital and small letters of ASCII are the same.
inline bool sameIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// What somebody else said, fit for a message of ours: one line of a sensible length.
inline std::string printable(const std::string& text) {
  constexpr std::size_t kMost = 1000;
  std::string line = text.substr(0, kMost);
  std::replace_if(line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  return text.size() > kMost ? line + "..." : line;
}

}  // namespace hipr
