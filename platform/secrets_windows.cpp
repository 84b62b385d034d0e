#include <cstdlib>

#include "platform/secrets.h"
#include "platform/windows.h"
// after windows.h:
#include <bcrypt.h>

namespace hipr::platform {
namespace {

void demand(NTSTATUS status) {
  if (status < 0) std::abort();  // without it nothing can be proved, and pretending would open the door
}

template <class Byte>
PUCHAR bytes(Byte* data) {
  return reinterpret_cast<PUCHAR>(const_cast<std::remove_const_t<Byte>*>(data));
}

}  // namespace

void randomBytes(std::span<unsigned char> out) {
  demand(BCryptGenRandom(nullptr, out.data(), static_cast<ULONG>(out.size()), BCRYPT_USE_SYSTEM_PREFERRED_RNG));
}

Hash256 hmacSha256(std::string_view key, std::initializer_list<std::span<const unsigned char>> parts) {
  BCRYPT_ALG_HANDLE algorithm = nullptr;
  BCRYPT_HASH_HANDLE hash = nullptr;
  demand(BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, BCRYPT_ALG_HANDLE_HMAC_FLAG));
  demand(BCryptCreateHash(algorithm, &hash, nullptr, 0, bytes(key.data()), static_cast<ULONG>(key.size()), 0));
  for (const auto& part : parts) demand(BCryptHashData(hash, bytes(part.data()), static_cast<ULONG>(part.size()), 0));
  Hash256 out;
  demand(BCryptFinishHash(hash, out.data(), static_cast<ULONG>(out.size()), 0));
  BCryptDestroyHash(hash);
  BCryptCloseAlgorithmProvider(algorithm, 0);
  return out;
}

}  // namespace hipr::platform
