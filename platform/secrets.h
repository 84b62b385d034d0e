// What proving a secret takes: random numbers, and a hash that only who knows the key can make.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

namespace hipr::platform {

void randomBytes(std::span<unsigned char> out);

using Hash256 = std::array<unsigned char, 32>;
Hash256 hmacSha256(std::string_view key, std::initializer_list<std::span<const unsigned char>> parts);

// In the same time wherever they differ; lengths are no secret.
inline bool equalSecrets(std::span<const unsigned char> a, std::span<const unsigned char> b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference = difference | static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace hipr::platform
