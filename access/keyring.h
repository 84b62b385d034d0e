// Keyring: everybody who may come in, and by what they are known: a token, or the name on a certificate. Filled once,
// then only asked; for one thread.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "access/identity.h"
#include "base/status.h"
#include "tls/psk.h"
#include "wire/messages.h"

namespace hipr::access {

class Keyring {
 public:
  struct Key {
    std::string token;
    std::uint64_t number = 0;
    Identity identity;
  };

  void addToken(const std::string& token, Identity identity);
  void addCertificate(const std::string& name, Identity identity);
  void trustCertificates() { certificatesCount_ = true; }  // any that was verified, if none is named

  bool open() const { return keys_.empty() && !certificatesCount_; }  // nobody has to show anything
  bool hasTokens() const { return !keys_.empty(); }
  std::size_t size() const { return keys_.size() + certificates_.size(); }

  bool hasToken(std::string_view token) const;
  const Key* find(std::uint64_t number) const;
  const Key* findProof(const wire::Bits256& binding, const wire::Bits256& proof) const;  // challenge.h: proveBound
  std::optional<Identity> ofCertificate(const std::string& name) const;

  // For TLS. Derived at the first of these calls, which takes its time for every token (tls/psk.h).
  std::optional<tls::TokenKey> tlsKey(const std::string& name) const;
  const Key* ofTlsKey(const std::string& name) const;

 private:
  void derive() const;

  std::list<Key> keys_;
  std::map<std::string, Identity> certificates_;
  bool certificatesCount_ = false;
  mutable std::map<std::string, std::pair<tls::TokenKey, const Key*>> byName_;
};

// A file of identities, a line each (docs/security.md). Failures name the line.
Status readIdentities(const std::string& path, Keyring& out);

}  // namespace hipr::access
