#include "worker/ledger.h"

#include <algorithm>
#include <utility>

namespace hipr::worker {

std::uint64_t Ledger::grant(int device, int account, std::uint64_t bytes, std::uint64_t most, std::uint64_t allowed) {
  std::uint64_t& free = free_[static_cast<std::size_t>(device)];
  std::uint64_t& promised = promised_[cell(device, account)];
  const std::uint64_t room = std::min({free, mostEach_ - std::min(mostEach_, promised), allowed});
  if (bytes > room) return 0;
  const std::uint64_t wish = std::min(most, bytes + (free - bytes) / 8);  // others have wishes too
  const std::uint64_t granted = std::min(std::max(bytes, wish), room);
  free -= granted;
  promised += granted;
  return granted;
}

std::uint64_t Ledger::welcome(int device, int account, std::uint64_t allowed) {
  return grant(device, account, 0, std::min(available(device) / 64, kSpare), allowed);
}

void Ledger::giveBack(int device, int account, std::uint64_t bytes) {
  std::uint64_t& promised = promised_[cell(device, account)];
  const std::uint64_t back = std::min(bytes, promised);
  promised -= back;
  free_[static_cast<std::size_t>(device)] += back;
}

void Ledger::close(int account) {
  for (int device = 0; device < devices(); ++device) {
    free_[static_cast<std::size_t>(device)] += std::exchange(promised_[cell(device, account)], 0);
  }
}

}  // namespace hipr::worker
