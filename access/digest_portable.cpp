// With what the system has.
#include "access/digest.h"
#include "platform/secrets.h"

namespace hipr::access {

Digest digestOf(std::span<const std::byte> bytes) {
  return platform::hmacSha256(kDigestKey, {{reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}});
}

}  // namespace hipr::access
