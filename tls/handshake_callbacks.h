// What OpenSSL asks and tells during a handshake. The SSL's application data is its HandshakeNotes.
#pragma once

#include <openssl/ssl.h>

#include <optional>
#include <string>

#include "tls/openssl.h"
#include "tls/shield.h"

namespace hipr::tls {

struct HandshakeNotes {
  std::shared_ptr<const ClientContext> client;  // one of the two
  std::shared_ptr<const ServerContext> server;
  std::optional<Secret> ofClient, ofServer;  // the secrets of each one's sending
  std::string tokenName;                     // of the key that was found
  bool unknownToken = false;                 // one was offered that is none of ours
};

void noteSecrets(SSL_CTX* context);
void offerToken(SSL_CTX* context);  // the client's
void takeTokens(SSL_CTX* context);  // the worker's

}  // namespace hipr::tls
