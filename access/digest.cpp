#include "access/digest.h"

#include "platform/secrets.h"

namespace hipr::access {

Digest digestOf(std::span<const std::byte> bytes) {
  return platform::hmacSha256("HIP Remote", {{reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}});
}

std::string hexOf(const Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace hipr::access
