#include <sodium.h>

#include "platform/secrets.h"

namespace hipr::platform {

void randomBytes(std::span<unsigned char> out) {
  randombytes_buf(out.data(), out.size());
}

Hash256 hmacSha256(std::string_view key, std::initializer_list<std::span<const unsigned char>> parts) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, reinterpret_cast<const unsigned char*>(key.data()), key.size());
  for (const auto& part : parts) crypto_auth_hmacsha256_update(&state, part.data(), part.size());
  Hash256 out;
  crypto_auth_hmacsha256_final(&state, out.data());
  return out;
}

}  // namespace hipr::platform
