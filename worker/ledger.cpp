#include "worker/ledger.h"

#include <algorithm>
#include <utility>

namespace hipr::worker {

std::uint64_t Ledger::grant(int device, int account, std::uint64_t bytes) {
  std::uint64_t& free = free_[static_cast<std::size_t>(device)];
  if (bytes > free) return 0;  // who cannot use all of it must not keep the rest from others
  free -= bytes;
  promised_[cell(device, account)] += bytes;
  return bytes;
}

std::uint64_t Ledger::welcome(int device, int account, std::uint64_t most) {
  return grant(device, account, std::min(available(device) / 8, most));
}

void Ledger::close(int account) {
  for (int device = 0; device < devices(); ++device) {
    free_[static_cast<std::size_t>(device)] += std::exchange(promised_[cell(device, account)], 0);
  }
}

}  // namespace hipr::worker
