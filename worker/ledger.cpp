#include "worker/ledger.h"

#include <algorithm>
#include <utility>

namespace hipr::worker {

std::uint64_t Ledger::grant(int device, int account, std::uint64_t bytes) {
  std::uint64_t& free = free_[static_cast<std::size_t>(device)];
  const std::uint64_t granted = std::min(bytes, free);
  free -= granted;
  promised_[cell(device, account)] += granted;
  return granted;
}

void Ledger::close(int account) {
  for (int device = 0; device < devices(); ++device) {
    free_[static_cast<std::size_t>(device)] += std::exchange(promised_[cell(device, account)], 0);
  }
}

}  // namespace hipr::worker
