#include "tls/client.h"

#include "tls/shake.h"
#include "tls/tls_transport.h"

namespace hipr::tls {
namespace {

constexpr char kRefused[] =
    "the worker refused the token: it has another one than this program (HIP_REMOTE_TOKEN, HIP_REMOTE_TOKEN_FILE), or "
    "none";

}  // namespace

Status connect(net::TransportPtr below, const ClientIdentity& identity, const std::string& host, int timeoutSeconds,
               net::TransportPtr& out, std::optional<Binding>& binding) {
  const bool certificates = !identity.authority.empty();
  std::optional<TokenKey> token;
  if (!certificates) token = keyOfToken(identity.token);
  std::shared_ptr<const ClientContext> context;
  const CertificateFiles files{identity.certificate, identity.key, identity.authority};
  if (Status status = ClientContext::make(files, token, context); !status.ok()) return status;
  Handshake handshake(context, host);
  if (Status status = shakeHands(*below, handshake, timeoutSeconds); !status.ok()) {
    if (status.code() == Code::kInvalid) status = Status::unavailable(certificates ? status.message() : kRefused);
    return status.within("TLS with " + host);
  }
  below->setTimeout(0);
  binding.reset();
  if (certificates) binding = handshake.binding();
  out = overTls(std::move(below), handshake.shield());
  return {};
}

}  // namespace hipr::tls
