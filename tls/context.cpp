#include "tls/context.h"

#include <openssl/err.h>

#include "tls/handshake_callbacks.h"
#include "tls/openssl.h"

namespace hipr::tls {
namespace {

// Once, before anything else: our copy of OpenSSL lives in other people's processes. It reads no configuration of
// theirs, and leaves nothing to do for the end of the process, when threads may still be sending.
void start() {
  static const bool started =
      OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_LOAD_SSL_STRINGS, nullptr) ==
      1;
  (void)started;
}

Status failure(const std::string& what) {
  return Status::invalid(what + ": " + opensslError());
}

Status makeContext(const SSL_METHOD* method, ContextPtr& out) {
  start();
  out.reset(SSL_CTX_new(method));
  SSL_CTX* const context = out.get();
  // Both ciphers go with SHA-256, which record.cpp and a token's key rely on.
  const bool set = context && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
                   SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256") == 1 &&
                   SSL_CTX_set1_groups_list(context, "X25519:P-256") == 1;
  if (!set) return failure("TLS");
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);  // nothing comes behind the handshake that is not ours
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  noteSecrets(context);
  return {};
}

Status useFiles(SSL_CTX* context, const CertificateFiles& files) {
  if (files.certificate.empty() != files.key.empty())
    return Status::invalid("a certificate needs its key, and a key its certificate");
  if (!files.certificate.empty()) {
    if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
      return failure("certificate " + files.certificate);
    if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
      return failure("key " + files.key);
    if (SSL_CTX_check_private_key(context) != 1) return failure("key " + files.key);
  }
  if (!files.authority.empty() && SSL_CTX_load_verify_file(context, files.authority.c_str()) != 1)
    return failure("certificate authority " + files.authority);
  return {};
}

}  // namespace

std::string opensslError() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  char text[256] = "?";
  if (const char* reason = ERR_reason_error_string(error)) return reason;
  if (error) ERR_error_string_n(error, text, sizeof text);
  return text;
}

ClientContext::ClientContext() : parts(std::make_unique<Parts>()) {}
ClientContext::~ClientContext() = default;
ServerContext::ServerContext() : parts(std::make_unique<Parts>()) {}
ServerContext::~ServerContext() = default;

Status ClientContext::make(const CertificateFiles& files, const std::optional<TokenKey>& token,
                           std::shared_ptr<const ClientContext>& out) {
  const std::shared_ptr<ClientContext> made(new ClientContext);
  if (Status status = makeContext(TLS_client_method(), made->parts->context); !status.ok()) return status;
  SSL_CTX* const context = made->parts->context.get();
  if (Status status = useFiles(context, files); !status.ok()) return status;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);  // without an authority no certificate will do
  if (files.authority.empty()) {
    made->parts->token = token;
    if (token) offerToken(context);
  }
  out = made;
  return {};
}

Status ServerContext::make(const CertificateFiles& files, FindToken findToken, bool mustShow,
                           std::shared_ptr<const ServerContext>& out) {
  const std::shared_ptr<ServerContext> made(new ServerContext);
  if (Status status = makeContext(TLS_server_method(), made->parts->context); !status.ok()) return status;
  SSL_CTX* const context = made->parts->context.get();
  if (Status status = useFiles(context, files); !status.ok()) return status;
  if (!files.authority.empty())
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (mustShow ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>("hip"), 3);  // it insists, with tokens
  made->parts->findToken = std::move(findToken);
  takeTokens(context);
  out = made;
  return {};
}

}  // namespace hipr::tls
