#include "tls/handshake_callbacks.h"

#include <string_view>

namespace hipr::tls {
namespace {

HandshakeNotes& notes(const SSL* ssl) {
  return *static_cast<HandshakeNotes*>(SSL_get_app_data(ssl));
}

std::optional<Secret> fromHex(std::string_view text) {
  Secret out;
  if (text.size() != 2 * out.size()) return std::nullopt;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
  return out;
}

// "CLIENT_TRAFFIC_SECRET_0 <the client's random number> <secret>": meant for files that help debugging, and the only
// way OpenSSL tells them.
void onSecret(const SSL* ssl, const char* line) {
  const std::string_view text(line);
  const std::string_view secret = text.substr(text.rfind(' ') + 1);
  if (text.starts_with("CLIENT_TRAFFIC_SECRET_0 ")) notes(ssl).ofClient = fromHex(secret);
  if (text.starts_with("SERVER_TRAFFIC_SECRET_0 ")) notes(ssl).ofServer = fromHex(secret);
}

// A token's key in the form in which OpenSSL takes one.
SSL_SESSION* sessionOf(SSL* ssl, const TokenKey& token) {
  constexpr unsigned char kAes128GcmSha256[] = {0x13, 0x01};
  SSL_SESSION* const session = SSL_SESSION_new();
  if (session && SSL_SESSION_set1_master_key(session, token.key.data(), token.key.size()) == 1 &&
      SSL_SESSION_set_cipher(session, SSL_CIPHER_find(ssl, kAes128GcmSha256)) == 1 &&
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1)
    return session;
  SSL_SESSION_free(session);
  return nullptr;
}

int onOffer(SSL* ssl, const EVP_MD* hash, const unsigned char** name, std::size_t* size, SSL_SESSION** session) {
  *session = nullptr;
  const TokenKey& token = *notes(ssl).client->parts->token;
  if (hash && EVP_MD_get_type(hash) != NID_sha256) return 1;  // nothing to offer
  *session = sessionOf(ssl, token);
  *name = reinterpret_cast<const unsigned char*>(token.name.data());
  *size = token.name.size();
  return *session ? 1 : 0;
}

int onOffered(SSL* ssl, const unsigned char* name, std::size_t size, SSL_SESSION** session) {
  *session = nullptr;
  HandshakeNotes& ours = notes(ssl);
  const std::string text(reinterpret_cast<const char*>(name), size);
  const std::optional<TokenKey> token = ours.server->parts->findToken(text);
  ours.unknownToken = !token;
  if (!token) return 1;
  *session = sessionOf(ssl, *token);
  ours.tokenName = text;
  return *session ? 1 : 0;
}

}  // namespace

void noteSecrets(SSL_CTX* context) {
  SSL_CTX_set_keylog_callback(context, onSecret);
}
void offerToken(SSL_CTX* context) {
  SSL_CTX_set_psk_use_session_callback(context, onOffer);
}
void takeTokens(SSL_CTX* context) {
  SSL_CTX_set_psk_find_session_callback(context, onOffered);
}

}  // namespace hipr::tls
