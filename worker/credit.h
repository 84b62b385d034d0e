// Credit: the device memory that this session has been promised. The supervisor keeps the accounts (ledger.h); a
// session asks, and remembers what it was told. Used by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

#include "worker/ledger.h"
#include "worker/supervisor_link.h"

namespace hipr::worker {

class Credit {
 public:
  virtual ~Credit() = default;
  virtual std::uint64_t promised(int device) const = 0;  // to this session, so far
  virtual std::uint64_t available(int device) = 0;       // to whoever asks first, a moment ago
  // At least `bytes`, or nothing; up to `most` while that leaves enough for others.
  virtual std::uint64_t grant(int device, std::uint64_t bytes, std::uint64_t most) = 0;
  virtual std::uint64_t welcome(int device) = 0;               // what a client gets without asking
  virtual void giveBack(int device, std::uint64_t bytes) = 0;  // REQUIRES: promised
};

class AskedCredit : public Credit {
 public:
  explicit AskedCredit(SupervisorLink& supervisor) : supervisor_(supervisor) {}
  std::uint64_t promised(int device) const override;
  std::uint64_t available(int device) override;
  std::uint64_t grant(int device, std::uint64_t bytes, std::uint64_t most) override;
  std::uint64_t welcome(int device) override;
  void giveBack(int device, std::uint64_t bytes) override;

 private:
  // Programs ask for free memory in loops; what others do is not known to the microsecond anyway.
  static constexpr std::chrono::milliseconds kFresh{1};
  struct Answer {
    std::uint64_t bytes = 0;
    std::chrono::steady_clock::time_point until{};
  };
  void change(int device, std::uint64_t by);

  SupervisorLink& supervisor_;
  std::map<int, std::uint64_t> promised_;
  std::map<int, Answer> available_;
};

// In the supervisor. `allowance`: what this client may still have of a device, whatever the books say.
using Allowance = std::function<std::uint64_t(int device)>;
std::uint64_t answerCredit(const Question& question, Ledger& ledger, int account, const Allowance& allowance);

}  // namespace hipr::worker
