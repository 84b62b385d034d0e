#include "client/virtual_memory.h"

#include <algorithm>
#include <utility>

namespace hipr::client {

VirtualMemory::VirtualMemory(std::uint64_t base, std::uint64_t size, std::uint64_t granularity)
    : granularity_(granularity) {
  addresses_.insert(base, size);
}

std::uint64_t VirtualMemory::reserve(std::uint64_t size, std::uint64_t alignment) {
  alignment = std::max(alignment, granularity_);
  const std::uint64_t slack = alignment - granularity_;
  if (size > UINT64_MAX - slack) return 0;
  std::lock_guard lock(mutex_);
  const std::uint64_t got = addresses_.take(size + slack);
  if (!got) return 0;
  const std::uint64_t begin = (got + alignment - 1) & ~(alignment - 1);
  if (begin > got) addresses_.insert(got, begin - got);
  if (begin - got < slack) addresses_.insert(begin + size, slack - (begin - got));
  return begin;
}

void VirtualMemory::free(std::uint64_t address, std::uint64_t size) {
  std::lock_guard lock(mutex_);
  addresses_.insert(address, size);
}

std::uint64_t VirtualMemory::create(int device, std::uint64_t size) {
  std::lock_guard lock(mutex_);
  physical_[++lastNumber_] = {.device = device, .size = size};
  return lastNumber_;
}

std::optional<VirtualMemory::Physical> VirtualMemory::endIfUnused(std::uint64_t number) {
  const auto found = physical_.find(number);
  if (found == physical_.end() || found->second.held || found->second.mappings) return std::nullopt;
  const Physical ended = found->second;
  physical_.erase(found);
  return ended;
}

std::optional<VirtualMemory::Physical> VirtualMemory::release(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  if (const auto found = physical_.find(number); found != physical_.end()) found->second.held = false;
  return endIfUnused(number);
}

void VirtualMemory::map(std::uint64_t address, std::uint64_t size, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  mapped_[address] = {size, number};
  ++physical_[number].mappings;
}

std::optional<VirtualMemory::Physical> VirtualMemory::unmap(std::uint64_t address, Moment inUse) {
  std::lock_guard lock(mutex_);
  const auto found = mapped_.find(address);
  if (found == mapped_.end()) return std::nullopt;
  const Mapping mapping = found->second;
  mapped_.erase(found);
  if (!inUse.passed()) left_.push_back({address, mapping.size, std::move(inUse)});
  --physical_[mapping.number].mappings;
  return endIfUnused(mapping.number);
}

std::vector<Moment> VirtualMemory::usersOf(std::uint64_t address, std::uint64_t size) {
  std::vector<Moment> out;
  std::lock_guard lock(mutex_);
  std::erase_if(left_, [](const Left& left) { return left.until.passed(); });
  for (const Left& left : left_)
    if (address < left.address + left.size && left.address < address + size) out.push_back(left.until);
  return out;
}

}  // namespace hipr::client
