// TokenDesk: how the telemetry service, to which anybody may talk, finds out whether a scraper's token is right without
// knowing any token itself. The service asks; the supervisor answers. So the supervisor reads nothing that strangers
// send to the page.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "net/socket.h"

namespace hipr::worker {

class TokenDesk {
 public:
  static constexpr std::size_t kLongest = 1024;  // of what is offered
  TokenDesk() = default;
  explicit TokenDesk(net::Socket asking) : service_(std::move(asking)) {}  // in the service
  static Status make(TokenDesk& out);

  // Whether it is right; nullopt: this worker has no tokens.
  using Verdict = std::optional<bool>;
  Verdict ask(std::string_view offered);  // in the service; waits for the supervisor, but not for long

  int askingFd() const { return service_.fd(); }                               // for the service
  int askedFd() const { return supervisor_.fd(); }                             // readable when there is a question
  void answer(const std::function<Verdict(std::string_view offered)>& knows);  // one question, without waiting

 private:
  net::Socket supervisor_, service_;
};

}  // namespace hipr::worker
