#include "worker/credit.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/log.h"

namespace hipr::worker {
namespace {

enum class Wish : std::uint32_t { kAvailable = 1, kGrant = 2, kWelcome = 3, kGiveBack = 4 };

// Both sides are the same program, so plain structs travel. What a session sends is foreign all the same.
struct Question {
  Wish wish;
  std::int32_t device;
  std::uint64_t bytes, most;
};

std::uint64_t ask(const net::Socket& supervisor, const Question& question) {
  std::uint64_t answer = 0;
  ssize_t got = -1;
  if (send(supervisor.fd(), &question, sizeof question, MSG_NOSIGNAL) == sizeof question) {
    do {
      got = recv(supervisor.fd(), &answer, sizeof answer, 0);
    } while (got < 0 && errno == EINTR);
  }
  if (got == sizeof answer) return answer;
  static LogOnce once;
  once.error("the supervisor does not answer; no more device memory for this session");
  return 0;
}

}  // namespace

std::uint64_t AskedCredit::promised(int device) const {
  const auto found = promised_.find(device);
  return found == promised_.end() ? 0 : found->second;
}

std::uint64_t AskedCredit::available(int device) {
  return ask(supervisor_, {Wish::kAvailable, device, 0, 0});
}

std::uint64_t AskedCredit::grant(int device, std::uint64_t bytes, std::uint64_t most) {
  const std::uint64_t granted = ask(supervisor_, {Wish::kGrant, device, bytes, most});
  promised_[device] += granted;
  return granted;
}

std::uint64_t AskedCredit::welcome(int device) {
  const std::uint64_t granted = ask(supervisor_, {Wish::kWelcome, device, 0, 0});
  promised_[device] += granted;
  return granted;
}

void AskedCredit::giveBack(int device, std::uint64_t bytes) {
  promised_[device] -= bytes;
  (void)ask(supervisor_, {Wish::kGiveBack, device, bytes, 0});
}

bool answerCredit(const net::Socket& session, Ledger& ledger, int account, const Allowance& allowance) {
  Question question{};
  const ssize_t got = recv(session.fd(), &question, sizeof question, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (got == 0) return false;
  std::uint64_t answer = 0;
  if (got == sizeof question && question.device >= 0 && question.device < ledger.devices()) {
    const std::uint64_t allowed = allowance(question.device);
    if (question.wish == Wish::kAvailable) answer = std::min(ledger.available(question.device), allowed);
    if (question.wish == Wish::kGiveBack) ledger.giveBack(question.device, account, question.bytes);
    if (question.wish == Wish::kGrant)
      answer = ledger.grant(question.device, account, question.bytes, question.most, allowed);
    if (question.wish == Wish::kWelcome) answer = ledger.welcome(question.device, account, allowed);
  }
  // A session that asks and never reads is not waited for.
  (void)!send(session.fd(), &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
  return true;
}

}  // namespace hipr::worker
