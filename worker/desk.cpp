#include "worker/desk.h"

namespace hipr::worker {

bool attend(const net::Socket& session, const Caller& caller, Ledger& ledger, Shares& shares) {
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
    give = started.number();
    answer.value = give >= 0;
  } else {
    const auto device = static_cast<std::size_t>(question.device);
    question.device = device < caller.devices.size() ? caller.devices[device] : -1;
    answer.value = answerCredit(question, ledger, caller.account, caller.allowance);
  }
  tell(session, answer, give);
  return true;
}

}  // namespace hipr::worker
