#include <stdlib.h>

#include <vector>

#include "platform/secrets.h"

// Of CommonCrypto, which is part of the system library. Not every SDK for cross compilers has its header.
extern "C" void CCHmac(std::uint32_t algorithm, const void* key, std::size_t keyLength, const void* data,
                       std::size_t dataLength, void* macOut);

namespace hipr::platform {

void randomBytes(std::span<unsigned char> out) {
  arc4random_buf(out.data(), out.size());
}

Hash256 hmacSha256(std::string_view key, std::initializer_list<std::span<const unsigned char>> parts) {
  constexpr std::uint32_t kSha256 = 2;
  std::vector<unsigned char> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  Hash256 out;
  CCHmac(kSha256, key.data(), key.size(), all.data(), all.size(), out.data());
  return out;
}

}  // namespace hipr::platform
