// Tickets: each lets another worker bring bytes to a session of this one, once and soon (tls/ticket.h). They belong to
// the supervisor: it makes them, knows the key when somebody greets with one, and passes that connection on to the
// session. Used by one thread.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "net/socket.h"
#include "tls/ticket.h"
#include "worker/pass_descriptor.h"

namespace hipr::worker {

class Tickets {
 public:
  static constexpr std::size_t kMostOfSession = 8;  // that nobody has come with yet
  static constexpr std::chrono::seconds kLife{30};

  // The socket through which the session will get the connection; it closes when nobody can come any more. Empty: the
  // session has enough of them. A session that closes its end has no use for the ticket any more.
  Descriptor issue(int account, tls::Secret& ticket);
  std::optional<tls::TokenKey> find(const std::string& name);  // of one that is good now
  // Somebody has come with it. False: it is not good (any more).
  bool redeem(const std::string& name, const net::Socket& connection, const tls::Shield& shield);
  void close(int account);

 private:
  using Clock = std::chrono::steady_clock;
  struct Ticket {
    int account;
    tls::TokenKey key;
    net::Socket session;
    Clock::time_point end;
  };
  void dropUseless();

  std::map<std::string, Ticket> tickets_;  // by the names of their keys
};

}  // namespace hipr::worker
