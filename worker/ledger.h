// Ledger: how much device memory each session has been promised. It belongs to the supervisor; sessions ask for their
// part of it (credit.h). A session's promises end with its process, however it ends, because the supervisor closes its
// account when it reaps the process. Used by one thread.
#pragma once

#include <cstdint>
#include <vector>

namespace hipr::worker {

class Ledger {
 public:
  static constexpr std::uint64_t kSpare =
      64 << 20;  // what an account may have unused for long: small blocks' first mapping, and as much again

  // `capacities`: bytes of each device that may be promised; `mostEach`: to one account.
  Ledger(std::vector<std::uint64_t> capacities, int accounts, std::uint64_t mostEach = UINT64_MAX)
      : mostEach_(mostEach),
        free_(std::move(capacities)),
        promised_(free_.size() * static_cast<std::size_t>(accounts)) {}

  int devices() const { return static_cast<int>(free_.size()); }
  std::uint64_t available(int device) const { return free_[static_cast<std::size_t>(device)]; }
  std::uint64_t promised(int device, int account) const { return promised_[cell(device, account)]; }
  // At least `bytes`, or nothing: who cannot use it must not keep it from others. Beyond that up to `most`, while it
  // is little of what is left. No more than `allowed`.
  std::uint64_t grant(int device, int account, std::uint64_t bytes, std::uint64_t most = 0,
                      std::uint64_t allowed = UINT64_MAX);
  // What a client gets without asking: enough to begin with, and so little that hundreds of them leave room.
  std::uint64_t welcome(int device, int account, std::uint64_t allowed = UINT64_MAX);
  void giveBack(int device, int account, std::uint64_t bytes);  // of what was promised
  void close(int account);                                      // takes everything back

 private:
  std::size_t cell(int device, int account) const {
    return static_cast<std::size_t>(account) * free_.size() + static_cast<std::size_t>(device);
  }

  const std::uint64_t mostEach_;
  std::vector<std::uint64_t> free_;
  std::vector<std::uint64_t> promised_;  // by account, then device
};

}  // namespace hipr::worker
