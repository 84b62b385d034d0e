// Ledger: who has been promised how much device memory. The supervisor's own; sessions ask for their part of it
// (credit.h). A session's promises end with its process, however it ends, because the supervisor closes its account
// when it reaps it. Used by one thread.
#pragma once

#include <cstdint>
#include <vector>

namespace hipr::worker {

class Ledger {
 public:
  // `capacities`: bytes of each device that may be promised.
  Ledger(std::vector<std::uint64_t> capacities, int accounts)
      : free_(std::move(capacities)), promised_(free_.size() * static_cast<std::size_t>(accounts)) {}

  int devices() const { return static_cast<int>(free_.size()); }
  std::uint64_t available(int device) const { return free_[static_cast<std::size_t>(device)]; }
  std::uint64_t promised(int device, int account) const { return promised_[cell(device, account)]; }
  std::uint64_t grant(int device, int account, std::uint64_t bytes);  // all of it, or nothing
  // What a client gets without asking: enough for most, and never so much that the next one starves.
  std::uint64_t welcome(int device, int account, std::uint64_t most = UINT64_MAX);
  void close(int account);  // takes everything back

 private:
  std::size_t cell(int device, int account) const {
    return static_cast<std::size_t>(account) * free_.size() + static_cast<std::size_t>(device);
  }

  std::vector<std::uint64_t> free_;
  std::vector<std::uint64_t> promised_;  // by account, then device
};

}  // namespace hipr::worker
