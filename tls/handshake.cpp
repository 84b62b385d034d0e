#include "tls/handshake.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <utility>

#include "tls/alert.h"
#include "tls/handshake_callbacks.h"

namespace hipr::tls {
namespace {

bool isAddress(const std::string& host) {
  ASN1_OCTET_STRING* const address = a2i_IPADDRESS(host.c_str());
  ASN1_OCTET_STRING_free(address);
  return address != nullptr;
}

// What the peer said, or what was wrong with it, out of OpenSSL's list of complaints.
Status whyFailed(SSL* ssl) {
  const unsigned long error = ERR_peek_error();
  const long verified = SSL_get_verify_result(ssl);
  const int reason = ERR_GET_REASON(error);
  const std::string text = opensslError();
  if (ERR_GET_LIB(error) == ERR_LIB_SSL && reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256)
    return Status::unavailable(alertText(reason - SSL_AD_REASON_OFFSET));
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED)
    return Status::invalid(std::string("the peer's certificate: ") + X509_verify_cert_error_string(verified));
  return Status::invalid(text);
}

}  // namespace

struct Handshake::Parts {
  SSL* ssl = nullptr;
  BIO *in = nullptr, *out = nullptr;  // of ssl
  HandshakeNotes notes;
  bool isClient = false, done = false;
  ~Parts() { SSL_free(ssl); }

  void make(SSL_CTX* context) {
    ssl = SSL_new(context);
    in = BIO_new(BIO_s_mem());
    out = BIO_new(BIO_s_mem());
    if (!ssl || !in || !out) std::abort();  // no memory
    BIO_set_mem_eof_return(in, -1);
    SSL_set_bio(ssl, in, out);
    SSL_set_app_data(ssl, &notes);
  }
};

Handshake::Handshake(std::shared_ptr<const ClientContext> context, const std::string& host)
    : parts_(std::make_unique<Parts>()) {
  parts_->isClient = true;
  parts_->make(context->parts->context.get());
  SSL* const ssl = parts_->ssl;
  if (isAddress(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
  } else if (!host.empty()) {
    SSL_set1_host(ssl, host.c_str());
    if (!context->parts->token) SSL_set_tlsext_host_name(ssl, host.c_str());
  }
  parts_->notes.client = std::move(context);
  SSL_set_connect_state(ssl);
}

Handshake::Handshake(std::shared_ptr<const ServerContext> context) : parts_(std::make_unique<Parts>()) {
  parts_->make(context->parts->context.get());
  parts_->notes.server = std::move(context);
  SSL_set_accept_state(parts_->ssl);
}

Handshake::Handshake(Handshake&&) noexcept = default;
Handshake::~Handshake() = default;

bool Handshake::done() const {
  return parts_->done;
}

Status Handshake::take(std::span<const std::byte> record, std::vector<std::byte>& reply) {
  ERR_clear_error();
  if (!record.empty() && BIO_write(parts_->in, record.data(), static_cast<int>(record.size())) <= 0) std::abort();
  const int result = SSL_do_handshake(parts_->ssl);
  Status status;
  if (result == 1) {
    parts_->done = true;
    const bool known = parts_->notes.ofClient && parts_->notes.ofServer;
    if (!known || BIO_pending(parts_->in) != 0) status = Status::invalid("a TLS handshake that is none of ours");
    // An authority's certificate is the only thing a client without a token's key goes by.
    if (parts_->isClient && parts_->notes.client->parts->token && !tokenName())
      status = Status::invalid("the peer has a certificate instead of the token");
  } else if (SSL_get_error(parts_->ssl, result) != SSL_ERROR_WANT_READ) {
    status = whyFailed(parts_->ssl);
    if (parts_->notes.unknownToken) status = Status::unavailable("a token that is none of ours");
  }
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(parts_->out, &bytes);
  reply.insert(reply.end(), reinterpret_cast<std::byte*>(bytes), reinterpret_cast<std::byte*>(bytes + size));
  (void)BIO_reset(parts_->out);
  return status;
}

Shield Handshake::shield() const {
  Shield out;
  const bool aes = SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(parts_->ssl)) == 0x1301;
  out.cipher = aes ? Cipher::kAes128Gcm : Cipher::kChaCha20Poly1305;
  const HandshakeNotes& notes = parts_->notes;
  out.sending.secret = parts_->isClient ? *notes.ofClient : *notes.ofServer;
  out.receiving.secret = parts_->isClient ? *notes.ofServer : *notes.ofClient;
  return out;
}

std::optional<std::string> Handshake::tokenName() const {
  if (SSL_session_reused(parts_->ssl) != 1) return std::nullopt;
  return parts_->isClient ? parts_->notes.client->parts->token->name : parts_->notes.tokenName;
}

std::optional<std::string> Handshake::certificate() const {
  X509* const certificate = SSL_get0_peer_certificate(parts_->ssl);
  if (!certificate || SSL_get_verify_result(parts_->ssl) != X509_V_OK) return std::nullopt;
  char name[256];
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  return size > 0 ? std::string(name, static_cast<std::size_t>(size)) : std::string();
}

Secret Handshake::binding() const {
  constexpr char kLabel[] = "EXPORTER-HIP-Remote-token";
  Secret out;
  if (SSL_export_keying_material(parts_->ssl, out.data(), out.size(), kLabel, sizeof kLabel - 1, nullptr, 0, 0) != 1)
    std::abort();
  return out;
}

}  // namespace hipr::tls
