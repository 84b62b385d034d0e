#include "tls/psk.h"

#include <openssl/evp.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "platform/secrets.h"

namespace hipr::tls {
namespace {

constexpr char kSalt[] = "HIP Remote token, 1";
constexpr std::uint64_t kCost = 1 << 14, kBlock = 8, kLanes = 1, kMostMemory = 64 << 20;
constexpr std::size_t kMostRemembered = 1024;

TokenKey derive(const std::string& token) {
  TokenKey out;
  if (EVP_PBE_scrypt(token.data(), token.size(), reinterpret_cast<const unsigned char*>(kSalt), sizeof kSalt - 1, kCost,
                     kBlock, kLanes, kMostMemory, out.key.data(), out.key.size()) != 1)
    std::abort();  // no memory
  out.name = nameOfKey("token-", out.key);
  return out;
}

}  // namespace

std::string nameOfKey(std::string_view prefix, const Secret& key) {
  constexpr unsigned char kLabel[] = {'n', 'a', 'm', 'e'};
  const auto name = platform::hmacSha256({reinterpret_cast<const char*>(key.data()), key.size()}, {kLabel});
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out(prefix);
  for (std::size_t i = 0; i < 12; ++i) {
    out += kDigits[name[i] >> 4];
    out += kDigits[name[i] & 15];
  }
  return out;
}

TokenKey keyOfToken(const std::string& token) {
  static std::mutex mutex;
  static auto& remembered = *new std::map<std::string, TokenKey>;  // outlives every thread
  std::lock_guard lock(mutex);
  if (const auto found = remembered.find(token); found != remembered.end()) return found->second;
  if (remembered.size() >= kMostRemembered) remembered.clear();
  return remembered.emplace(token, derive(token)).first->second;
}

}  // namespace hipr::tls
