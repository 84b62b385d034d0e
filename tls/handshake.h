// The handshake of TLS 1.3, made by OpenSSL, one record at a time: no sockets, nothing waits. At its end OpenSSL is
// done and the Shield has what is needed to go on.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "tls/context.h"
#include "tls/shield.h"

namespace hipr::tls {

class Handshake {
 public:
  // The client's side. `host` is whose certificate the worker has to show, where it shows one.
  Handshake(std::shared_ptr<const ClientContext> context, const std::string& host);
  explicit Handshake(std::shared_ptr<const ServerContext> context);
  Handshake(Handshake&&) noexcept;
  ~Handshake();

  // The peer's next record; nothing, for the client to begin. `reply` is to be sent, also when it failed: it says why,
  // in TLS's words.
  Status take(std::span<const std::byte> record, std::vector<std::byte>& reply);
  bool done() const;

  // REQUIRES, for all below: done().
  Shield shield() const;
  std::optional<std::string> tokenName() const;    // of the key that both sides have (psk.h); nullopt: certificates
  std::optional<std::string> certificate() const;  // the common name of the peer's, which was verified
  Secret binding() const;  // known to these two ends of this connection alone: what is bound to it cannot be relayed

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace hipr::tls
