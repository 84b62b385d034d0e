// Credit straight from a ledger in the same process.
#pragma once

#include "worker/credit.h"

namespace hipr::worker {

class FakeCredit : public Credit {
 public:
  FakeCredit(Ledger& ledger, int account) : ledger_(ledger), account_(account) {}
  std::uint64_t promised(int device) const override { return ledger_.promised(device, account_); }
  std::uint64_t available(int device) override { return ledger_.available(device); }
  std::uint64_t grant(int device, std::uint64_t bytes, std::uint64_t most) override {
    return ledger_.grant(device, account_, bytes, most);
  }
  std::uint64_t welcome(int device) override { return ledger_.welcome(device, account_); }
  void giveBack(int device, std::uint64_t bytes) override { ledger_.giveBack(device, account_, bytes); }

 private:
  Ledger& ledger_;
  const int account_;
};

}  // namespace hipr::worker
