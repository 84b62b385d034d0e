// The record layer of TLS 1.3 (RFC 8446, 5), one direction at a time. OpenSSL makes the handshake; records we make
// ourselves, because its connection object is one for both directions and one process, while here one thread sends as
// another receives, and a session is not the process that greeted its client. The ciphers are OpenSSL's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "tls/shield.h"

namespace hipr::tls {

inline constexpr std::size_t kRecordHeader = 5;
inline constexpr std::size_t kMostPlain = 16 << 10;         // bytes of ours in a record
inline constexpr std::size_t kMostBody = kMostPlain + 256;  // of a record behind its header, as anybody may send it
inline constexpr std::size_t kSealCost = kRecordHeader + 1 + 16;

// How long the record is that begins so; 0: this is not TLS.
std::size_t recordSize(std::span<const std::byte, kRecordHeader> header);

// One direction's key, its nonces, and their renewal. Not thread-safe.
class RecordKey {
 public:
  RecordKey(Cipher cipher, const Direction& direction, bool sealing);
  RecordKey(RecordKey&&) noexcept;
  ~RecordKey();

  const Direction& direction() const { return direction_; }

 protected:
  void renew();
  void nextNonce();  // sets it
  struct Context;
  std::unique_ptr<Context> context_;

 private:
  void install();
  Direction direction_;
  std::array<std::uint8_t, 12> nonce_{};
};

class Sealer : public RecordKey {
 public:
  using Part = std::span<const std::byte>;
  // A key seals this many records before it is renewed: half of what AES-GCM may.
  static constexpr std::uint64_t kRecordsPerKey = 1 << 23;

  Sealer(Cipher cipher, const Direction& direction) : RecordKey(cipher, direction, true) {}

  // Appends a record with the first bytes of `parts`, which are taken away from it: at most kMostPlain.
  void seal(std::span<Part>& parts, std::vector<std::byte>& out);
  void seal(Part bytes, std::vector<std::byte>& out);  // as many records as it takes
  void renewKey(std::vector<std::byte>& out);          // tells the peer, and seals with the next key from now on

 private:
  void sealAs(std::uint8_t kind, std::span<Part>& parts, std::size_t size, std::vector<std::byte>& out);
};

class Opener : public RecordKey {
 public:
  Opener(Cipher cipher, const Direction& direction) : RecordKey(cipher, direction, false) {}

  // `record` is a whole one and is decrypted in its place; `plain` is the part of it that is for us, which may be
  // nothing. A failure: it was tampered with, makes no sense, or is the peer's farewell.
  Status open(std::span<std::byte> record, std::span<std::byte>& plain);

 private:
  Status handshakeMessage(std::span<const std::byte> message);
};

}  // namespace hipr::tls
