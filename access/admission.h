// The worker's part of a greeting (challenge.h), one frame at a time, for whoever reads them. A failure is a sentence
// for the client, who has not been told yet.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "access/keyring.h"
#include "wire/frame.h"

namespace hipr::access {

class Admission {
 public:
  static constexpr std::uint64_t kMaxPayload = 64;

  explicit Admission(std::shared_ptr<const Keyring> keyring) : keyring_(std::move(keyring)) {}

  // The connection is protected. `tokenName`, `certificate`: by which of these TLS has recognised the client, if it
  // has. `binding`: what a proof has to be bound to otherwise.
  Status shielded(const std::optional<std::string>& tokenName, const std::optional<std::string>& certificate,
                  const wire::Bits256& binding);

  // The frame is about the token: it is for take(), and the next one will be looked at again.
  static bool concerns(const wire::Header& header);
  Status take(const wire::Header& header, std::span<const std::byte> payload, std::vector<std::byte>& reply);

  // Somebody says something else: ok() when there is nothing left to prove.
  Status open() const;
  const Identity& identity() const { return identity_; }  // REQUIRES: open()

 private:
  Status admit(const Keyring::Key* key, bool proved);

  const std::shared_ptr<const Keyring> keyring_;
  std::optional<wire::Bits256> binding_;
  const Keyring::Key* key_ = nullptr;  // the client says that it knows it
  wire::Bits256 client_{}, worker_{};
  enum class Stage { kNew, kChallenged, kProved } stage_ = Stage::kNew;
  Identity identity_;
};

}  // namespace hipr::access
