#include "worker/gate.h"

#include <sys/stat.h>

#include "access/token.h"
#include "base/log.h"
#include "tls/ticket.h"

namespace hipr::worker {

std::vector<Gate::Stamp> Gate::stamps() const {
  std::vector<Stamp> out;
  for (const std::string* path : {&options_.tokenFile, &options_.identities, &options_.tls.certificate,
                                  &options_.tls.key, &options_.tls.authority}) {
    struct stat info{};
    Stamp stamp;
    if (!path->empty() && stat(path->c_str(), &info) == 0)
      stamp = {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size, info.st_ino};
    out.push_back(stamp);
  }
  return out;
}

Status Gate::read() {
  auto keyring = std::make_shared<access::Keyring>();
  std::string token;
  Status status = options_.tokenFile.empty() ? access::tokenFromEnvironment(token)
                                             : access::readTokenFile(options_.tokenFile, token);
  if (!status.ok()) return status;
  if (!token.empty() && !options_.pod.empty()) token = access::tokenOfWorker(token, options_.pod);
  if (!token.empty()) keyring->addToken(token, {});
  if (!options_.identities.empty()) {
    if (status = access::readIdentities(options_.identities, *keyring); !status.ok()) return status;
  }
  if (!options_.tls.authority.empty()) keyring->trustCertificates();
  std::shared_ptr<const tls::ServerContext> tls;
  const auto find = [this, keyring](const std::string& name) {
    if (!tls::namesTicket(name)) return keyring->tlsKey(name);
    return findTicket_ ? findTicket_(name) : std::nullopt;
  };
  if (status = tls::ServerContext::make(options_.tls, find, !keyring->hasTokens(), tls); !status.ok()) return status;
  keyring_ = std::move(keyring);
  tls_ = std::move(tls);
  return {};
}

Status Gate::open() {
  stamps_ = stamps();
  return read();
}

void Gate::refreshAnyway() {
  stamps_ = stamps();
  if (const Status status = read(); !status.ok())
    logError("%s; what was true before stays so", status.message().c_str());
}

void Gate::refresh() {
  if (stamps() != stamps_) refreshAnyway();
}

std::optional<bool> Gate::knows(std::string_view token) {
  refresh();
  return keyring_->hasTokens() ? std::optional(keyring_->hasToken(token)) : std::nullopt;
}

void Gate::prepareForTokens() {
  (void)keyring_->tlsKey("");
}

}  // namespace hipr::worker
