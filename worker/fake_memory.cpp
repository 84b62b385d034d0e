#include "worker/fake_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <iterator>

namespace hipr::worker {
namespace {

constexpr int kNothing = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

FakeMemory::~FakeMemory() {
  for (const auto& [address, block] : allocated_) drop(const_cast<void*>(address), block);
  while (!reserved_.empty()) unreserve(const_cast<void*>(reserved_.begin()->first));
}

void FakeMemory::drop(void* address, const Block& block) {
  if (block.bytes != address) munmap(address, block.size);
  std::free(block.bytes);
}

void* FakeMemory::allocate(std::size_t size) {
  void* const bytes = std::malloc(size);
  void* const address = cpuReaches_ ? bytes : mmap(nullptr, size, PROT_NONE, kNothing, -1, 0);
  if (bytes == nullptr || address == MAP_FAILED) std::abort();
  const std::lock_guard lock(mutex_);
  allocated_[address] = {size, bytes};
  return address;
}

bool FakeMemory::free(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocated_.find(address);
  if (found == allocated_.end()) return false;
  drop(address, found->second);
  allocated_.erase(found);
  return true;
}

void* FakeMemory::reserve(std::size_t size, void* hint, bool atHint) {
  void* const got =
      mmap(atHint ? hint : nullptr, size, PROT_NONE, kNothing | (atHint ? MAP_FIXED_NOREPLACE : 0), -1, 0);
  if (got == MAP_FAILED) return nullptr;
  void* const bytes = cpuReaches_ ? got : mmap(nullptr, size, PROT_NONE, kNothing, -1, 0);
  if (bytes == MAP_FAILED) std::abort();
  const std::lock_guard lock(mutex_);
  reserved_[got] = {size, bytes};
  return got;
}

bool FakeMemory::unreserve(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = reserved_.find(address);
  if (found == reserved_.end()) return false;
  const Block block = found->second;
  if (block.bytes != address) munmap(block.bytes, block.size);
  munmap(address, block.size);
  reserved_.erase(found);
  return true;
}

bool FakeMemory::map(void* address, std::size_t size) {
  const std::lock_guard lock(mutex_);
  if (!mapped_.emplace(address, size).second) return false;
  mprotect(find(address), size, PROT_READ | PROT_WRITE);
  return true;
}

bool FakeMemory::unmap(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = mapped_.find(address);
  if (found == mapped_.end()) return false;
  const int access = forgiving_ ? PROT_READ | PROT_WRITE : PROT_NONE;
  mmap(find(address), found->second, access, kNothing | MAP_FIXED, -1, 0);
  mapped_.erase(found);
  return true;
}

template <class Blocks>
auto FakeMemory::around(const Blocks& blocks, const void* address) {
  const auto next = blocks.upper_bound(address);
  if (next == blocks.begin()) return blocks.end();
  const auto found = std::prev(next);
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(found->first);
  return static_cast<std::size_t>(offset) < found->second.size ? found : blocks.end();
}

void* FakeMemory::find(const void* address) const {
  for (const auto* blocks : {&allocated_, &reserved_}) {
    const auto found = around(*blocks, address);
    if (found != blocks->end())
      return static_cast<char*>(found->second.bytes) +
             (static_cast<const char*>(address) - static_cast<const char*>(found->first));
  }
  return const_cast<void*>(address);
}

void* FakeMemory::bytesAt(const void* address) const {
  const std::lock_guard lock(mutex_);
  return find(address);
}

void FakeMemory::pin(void* address, std::size_t size) {
  const std::lock_guard lock(mutex_);
  pinned_[address] = {size, address};
}

void FakeMemory::unpin(void* address) {
  const std::lock_guard lock(mutex_);
  pinned_.erase(address);
}

bool FakeMemory::pageable(const void* address) const {
  const std::lock_guard lock(mutex_);
  for (const auto* blocks : {&allocated_, &reserved_, &pinned_})
    if (around(*blocks, address) != blocks->end()) return false;
  return true;
}

}  // namespace hipr::worker
