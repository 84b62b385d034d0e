#include "access/keyring.h"

#include <algorithm>

#include "access/challenge.h"
#include "access/token.h"
#include "platform/secrets.h"

namespace hipr::access {

void Keyring::addToken(const std::string& token, Identity identity) {
  keys_.push_back({token, tokenNumber(token), std::move(identity)});
}

void Keyring::addCertificate(const std::string& name, Identity identity) {
  certificates_.emplace(name, std::move(identity));
}

bool Keyring::hasToken(std::string_view token) const {
  return std::ranges::any_of(keys_, [&](const Key& key) { return sameToken(key.token, token); });
}

const Keyring::Key* Keyring::find(std::uint64_t number) const {
  const auto found = std::ranges::find(keys_, number, &Key::number);
  return found == keys_.end() ? nullptr : &*found;
}

const Keyring::Key* Keyring::findProof(const wire::Bits256& binding, const wire::Bits256& proof) const {
  const auto found = std::ranges::find_if(
      keys_, [&](const Key& key) { return platform::equalSecrets(proof, proveBound(key.token, binding)); });
  return found == keys_.end() ? nullptr : &*found;
}

std::optional<Identity> Keyring::ofCertificate(const std::string& name) const {
  if (!certificatesCount_) return std::nullopt;
  if (const auto found = certificates_.find(name); found != certificates_.end()) return found->second;
  if (!certificates_.empty()) return std::nullopt;
  Identity identity;
  identity.name = name;
  return identity;
}

void Keyring::derive() const {
  if (!byName_.empty()) return;
  for (const Key& key : keys_) {
    tls::TokenKey tlsKey = tls::keyOfToken(key.token);
    const std::string name = tlsKey.name;
    byName_.emplace(name, std::pair(std::move(tlsKey), &key));
  }
}

std::optional<tls::TokenKey> Keyring::tlsKey(const std::string& name) const {
  derive();
  const auto found = byName_.find(name);
  return found == byName_.end() ? std::nullopt : std::optional(found->second.first);
}

const Keyring::Key* Keyring::ofTlsKey(const std::string& name) const {
  derive();
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : found->second.second;
}

}  // namespace hipr::access
