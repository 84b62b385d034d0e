#include "worker/tickets.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "platform/secrets.h"
#include "worker/pass_socket.h"

namespace hipr::worker {
namespace {

bool hungUp(const net::Socket& session) {
  pollfd entry{session.fd(), 0, 0};
  return poll(&entry, 1, 0) > 0;
}

}  // namespace

void Tickets::dropUseless() {
  const auto now = Clock::now();
  std::erase_if(tickets_, [now](const auto& entry) { return now >= entry.second.end || hungUp(entry.second.session); });
}

Descriptor Tickets::issue(int account, tls::Secret& ticket) {
  dropUseless();
  const auto has = std::ranges::count_if(tickets_, [&](const auto& entry) { return entry.second.account == account; });
  int ends[2];
  if (static_cast<std::size_t>(has) >= kMostOfSession ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Descriptor();
  platform::randomBytes(ticket);
  Ticket made{account, tls::keyOfTicket(ticket), net::Socket(ends[0]), Clock::now() + kLife};
  const std::string name = made.key.name;
  tickets_.insert_or_assign(name, std::move(made));
  return Descriptor(ends[1]);
}

std::optional<tls::TokenKey> Tickets::find(const std::string& name) {
  dropUseless();
  const auto found = tickets_.find(name);
  return found == tickets_.end() ? std::nullopt : std::optional(found->second.key);
}

bool Tickets::redeem(const std::string& name, const net::Socket& connection, const tls::Shield& shield) {
  dropUseless();
  const auto taken = tickets_.extract(name);  // whatever comes of it: it was good once
  return !taken.empty() && passSocket(taken.mapped().session, connection, {shield});
}

void Tickets::close(int account) {
  std::erase_if(tickets_, [account](const auto& entry) { return entry.second.account == account; });
}

}  // namespace hipr::worker
