#include "worker/ledger.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace hipr::worker {

// free[devices], then promised[account][device]. Every cell is changed by atomic steps that leave the sums right at any
// moment a process may be killed, except that a grant cut in half promises too little until its account is closed.
struct Ledger::Shared {
  std::uint64_t cells[1];
};

Ledger::Ledger(const std::vector<std::uint64_t>& capacities, int accounts)
    : devices_(static_cast<int>(capacities.size())), accounts_(accounts) {
  size_ = sizeof(std::uint64_t) * (1 + capacities.size() * static_cast<std::size_t>(accounts + 1));
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = static_cast<Shared*>(memory);
  std::copy(capacities.begin(), capacities.end(), shared_->cells);
}

Ledger::~Ledger() {
  munmap(shared_, size_);
}

std::uint64_t& Ledger::promise(int device, int account) const {
  return shared_->cells[devices_ * (account + 1) + device];
}

std::uint64_t Ledger::available(int device) const {
  return std::atomic_ref(shared_->cells[device]).load();
}

std::uint64_t Ledger::promised(int device, int account) const {
  return std::atomic_ref(promise(device, account)).load();
}

std::uint64_t Ledger::grant(int device, int account, std::uint64_t bytes) {
  std::atomic_ref<std::uint64_t> free(shared_->cells[device]);
  std::atomic_ref<std::uint64_t> mine(promise(device, account));
  std::uint64_t now = free.load();
  std::uint64_t granted = 0;
  do {
    granted = std::min(bytes, now);
  } while (!free.compare_exchange_weak(now, now - granted));
  mine += granted;
  return granted;
}

void Ledger::close(int account) {
  for (int device = 0; device < devices_; ++device) {
    std::atomic_ref<std::uint64_t> free(shared_->cells[device]);
    free += std::atomic_ref(promise(device, account)).exchange(0);
  }
}

}  // namespace hipr::worker
