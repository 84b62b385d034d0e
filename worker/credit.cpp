#include "worker/credit.h"

#include <algorithm>

namespace hipr::worker {

std::uint64_t AskedCredit::promised(int device) const {
  const auto found = promised_.find(device);
  return found == promised_.end() ? 0 : found->second;
}

std::uint64_t AskedCredit::available(int device) {
  Answer& last = available_[device];
  const auto now = std::chrono::steady_clock::now();
  if (now >= last.until) last = {supervisor_.ask({.wish = Wish::kAvailable, .device = device}).value, now + kFresh};
  return last.bytes;
}

// What is available to others has changed with it.
void AskedCredit::change(int device, std::uint64_t by) {
  promised_[device] += by;
  available_.erase(device);
}

std::uint64_t AskedCredit::grant(int device, std::uint64_t bytes, std::uint64_t most) {
  const Question question{.wish = Wish::kGrant, .device = device, .bytes = bytes, .most = most};
  const std::uint64_t granted = supervisor_.ask(question).value;
  change(device, granted);
  return granted;
}

std::uint64_t AskedCredit::welcome(int device) {
  const std::uint64_t granted = supervisor_.ask({.wish = Wish::kWelcome, .device = device}).value;
  change(device, granted);
  return granted;
}

void AskedCredit::giveBack(int device, std::uint64_t bytes) {
  change(device, 0 - bytes);
  supervisor_.ask({.wish = Wish::kGiveBack, .device = device, .bytes = bytes});
}

std::uint64_t answerCredit(const Question& question, Ledger& ledger, int account, const Allowance& allowance) {
  const int device = question.device;
  if (device < 0 || device >= ledger.devices()) return 0;
  switch (question.wish) {
    case Wish::kAvailable:
      return std::min(ledger.available(device), allowance(device));
    case Wish::kGrant:
      return ledger.grant(device, account, question.bytes, question.most, allowance(device));
    case Wish::kWelcome:
      return ledger.welcome(device, account, allowance(device));
    case Wish::kGiveBack:
      ledger.giveBack(device, account, question.bytes);
      return 0;
    default:
      return 0;
  }
}

}  // namespace hipr::worker
