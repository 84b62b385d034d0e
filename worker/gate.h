// Gate: decides who may come in, by the worker's files and environment as they are now. Files that have changed are
// read again, before the next connection and on SIGHUP; a file that makes no sense leaves everything as it was. Used by
// one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "access/keyring.h"
#include "base/status.h"
#include "tls/context.h"

namespace hipr::worker {

struct GateOptions {
  std::string tokenFile;           // empty: the environment may have a token
  std::string pod;                 // of TensorFusion's; empty: none. With one, the token is this pod's alone
  std::string identities;          // a file; empty: none
  tls::CertificateFiles tls;       // the worker's certificate, and who signs its clients'
  bool tlsOnly = false;            // also for connections within this machine
  bool plainFromAnywhere = false;  // --insecure
};

class Gate {
 public:
  explicit Gate(GateOptions options) : options_(std::move(options)) {}

  Status open();         // reads everything for the first time
  void refresh();        // reads again what has changed
  void refreshAnyway();  // reads again
  // Whether it is the token of somebody; nullopt: nobody has one.
  std::optional<bool> knows(std::string_view token);
  // Keys of another kind, which are good for a connection each (tickets.h). REQUIRES: it outlives every handshake.
  using FindTicket = std::function<std::optional<tls::TokenKey>(const std::string& name)>;
  void honourTickets(FindTicket find) { findTicket_ = std::move(find); }
  void prepareForTokens();  // spends now what the first connection with a token's key would have to wait for

  const std::shared_ptr<const access::Keyring>& keyring() const { return keyring_; }
  const std::shared_ptr<const tls::ServerContext>& tls() const { return tls_; }

  bool takesPlain(bool loopback) const { return !options_.tlsOnly && (loopback || options_.plainFromAnywhere); }

 private:
  struct Stamp {  // of a file; another one when it was replaced or written to
    long long seconds = 0, nanoseconds = 0, size = -1;
    unsigned long long file = 0;
    bool operator==(const Stamp&) const = default;
  };
  std::vector<Stamp> stamps() const;
  Status read();

  const GateOptions options_;
  FindTicket findTicket_;
  std::vector<Stamp> stamps_;
  std::shared_ptr<const access::Keyring> keyring_ = std::make_shared<access::Keyring>();
  std::shared_ptr<const tls::ServerContext> tls_;
};

}  // namespace hipr::worker
