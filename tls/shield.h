// Shield: what the two sides of a TLS 1.3 connection share once their handshake is over, as a value. Whoever has it,
// and the socket, can go on with the connection: another thread for each direction, or another process.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

namespace hipr::tls {

using Secret = std::array<std::uint8_t, 32>;

enum class Cipher : std::uint8_t { kAes128Gcm, kChaCha20Poly1305 };  // both with SHA-256

struct Direction {
  Secret secret{};            // RFC 8446, 7.1: the application traffic secret in use
  std::uint64_t records = 0;  // protected with it so far
  static auto fields(auto& m) { return std::tie(m.secret, m.records); }
};

struct Shield {
  Cipher cipher = Cipher::kAes128Gcm;
  Direction sending, receiving;
  static auto fields(auto& m) { return std::tie(m.cipher, m.sending, m.receiving); }
};

}  // namespace hipr::tls
