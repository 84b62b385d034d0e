// Ledger: who has been promised how much device memory. One page shared by the supervisor and all sessions; a session's
// promises end with its process, however it ends, because the supervisor closes its account when it reaps it.
// Thread- and process-safe.
#pragma once

#include <cstdint>
#include <vector>

namespace hipr::worker {

class Ledger {
 public:
  // `capacities`: bytes of each device that may be promised. The memory is shared with processes forked later.
  Ledger(const std::vector<std::uint64_t>& capacities, int accounts);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  std::uint64_t available(int device) const;
  std::uint64_t promised(int device, int account) const;
  std::uint64_t grant(int device, int account, std::uint64_t bytes);  // as much of it as there is
  void close(int account);                                            // takes everything back

 private:
  struct Shared;
  std::uint64_t& promise(int device, int account) const;

  int devices_ = 0, accounts_ = 0;
  std::size_t size_ = 0;
  Shared* shared_ = nullptr;
};

}  // namespace hipr::worker
