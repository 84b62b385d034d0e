// What the files that use OpenSSL's handshake share.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "tls/context.h"

namespace hipr::tls {

struct ContextDelete {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using ContextPtr = std::unique_ptr<SSL_CTX, ContextDelete>;

struct ClientContext::Parts {
  ContextPtr context;
  std::optional<TokenKey> token;  // what to offer; with certificates the token is proved afterwards
};

struct ServerContext::Parts {
  ContextPtr context;
  FindToken findToken;
};

std::string opensslError();  // the oldest one; forgets all

}  // namespace hipr::tls
