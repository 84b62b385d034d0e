// The key that a token gives a TLS connection (RFC 8446, 4.2.11: an external pre-shared key). It is derived slowly, so
// that whoever has recorded a greeting, or posed as a worker, can try only some tokens a second; and once per process.
#pragma once

#include <string>
#include <string_view>

#include "tls/shield.h"

namespace hipr::tls {

struct TokenKey {
  std::string name;  // what a greeting calls it; tells nothing about the token that is quicker to try than the key
  Secret key{};
};

// Remembered, so that only the first call with a token takes its time (some 50 ms and 16 MiB). Thread-safe.
TokenKey keyOfToken(const std::string& token);

// What a greeting calls a key: the prefix, and digits that only who has the key can make.
std::string nameOfKey(std::string_view prefix, const Secret& key);

}  // namespace hipr::tls
