// Who the two sides of a TLS connection are to each other: which tokens, certificates and authorities count. Made once,
// for any number of handshakes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "tls/psk.h"

namespace hipr::tls {

// Files in PEM. Empty: there is none.
struct CertificateFiles {
  std::string certificate;  // ours, and behind it those between it and its authority
  std::string key;
  std::string authority;  // whom we trust to say who the peer is
};

class ClientContext {
 public:
  // With an authority the worker has to show a certificate of it. Without, both sides have to know the same token.
  static Status make(const CertificateFiles& files, const std::optional<TokenKey>& token,
                     std::shared_ptr<const ClientContext>& out);
  ~ClientContext();
  struct Parts;
  const std::unique_ptr<Parts> parts;

 private:
  ClientContext();
};

class ServerContext {
 public:
  // The key of that name, if it is one of ours. Asked during handshakes.
  using FindToken = std::function<std::optional<TokenKey>(const std::string& name)>;

  // `mustShow`: a client without a token's key has to show a certificate of the authority.
  static Status make(const CertificateFiles& files, FindToken findToken, bool mustShow,
                     std::shared_ptr<const ServerContext>& out);
  ~ServerContext();
  struct Parts;
  const std::unique_ptr<Parts> parts;

 private:
  ServerContext();
};

}  // namespace hipr::tls
