#include "worker/desk.h"

#include <cstring>

namespace hipr::worker {

bool attend(const net::Socket& session, const Caller& caller, const Books& books) {
  auto& [ledger, shares, tickets, peers] = books;
  Question question;
  Descriptor given;
  const Heard heard = hear(session, question, given);
  if (heard != Heard::kQuestion) return heard == Heard::kNothing;
  Answer answer;
  int give = -1;
  Descriptor started;
  if (question.wish == Wish::kKeep) {
    answer.value = shares.keep(caller.account, caller.identity, question.bytes, std::move(given), answer.secret);
  } else if (question.wish == Wish::kFetch) {
    if (const Shares::Share* share = shares.find(question.secret, caller.identity)) {
      answer.value = share->bytes;
      give = share->descriptor.number();
    }
  } else if (question.wish == Wish::kDrop) {
    shares.drop(caller.account, question.secret);
  } else if (question.wish == Wish::kCompile) {
    started = caller.compiler();
  } else if (question.wish == Wish::kInvite) {
    started = tickets.issue(caller.account, answer.ticket);
  } else if (question.wish == Wish::kConnect) {
    started = peers.connect({question.worker.data(), strnlen(question.worker.data(), question.worker.size())});
  } else {
    const auto device = static_cast<std::size_t>(question.device);
    question.device = device < caller.devices.size() ? caller.devices[device] : -1;
    answer.value = answerCredit(question, ledger, caller.account, caller.allowance);
  }
  if (started.number() >= 0) {
    give = started.number();
    answer.value = 1;
  }
  tell(session, answer, give);
  return true;
}

}  // namespace hipr::worker
