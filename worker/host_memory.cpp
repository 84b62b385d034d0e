#include "worker/host_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace hipr::worker {
namespace {

constexpr std::uint64_t kPage = 4096;
// Two changes closer than this travel as one message: its header would cost more than the bytes between them.
constexpr std::size_t kGap = 64;
constexpr std::size_t kBatch = 256 << 10;

std::uint64_t wholePages(std::uint64_t size) {
  return (size + kPage - 1) / kPage * kPage;
}

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

// Calls found(begin, end) for every run of bytes that differ, close runs joined.
template <class F>
void forEachDifference(const std::byte* a, const std::byte* b, std::size_t size, F&& found) {
  std::size_t begin = 0, end = 0;  // the run so far
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] == b[i]) continue;
    if (end && i - end >= kGap) {
      found(begin, end);
      end = 0;
    }
    if (!end) begin = i;
    end = i + 1;
  }
  if (end) found(begin, end);
}

// One HostBytes frame for each change of a page.
void appendChanges(std::vector<std::byte>& frames, std::uint64_t address, std::byte* agreed, std::size_t size) {
  // A kernel of another stream may be writing: what is sent and what is remembered must be the same bytes.
  std::byte now[kPage];
  std::memcpy(now, at(address), size);
  forEachDifference(now, agreed, size, [&](std::size_t begin, std::size_t end) {
    appendFrame(frames, wire::Opcode::kHostBytes, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
                wire::HostBytes{address + begin, {now + begin, end - begin}});
    std::memcpy(agreed + begin, now + begin, end - begin);
  });
}

}  // namespace

HostMemory::~HostMemory() {
  while (!regions_.empty()) conceal(regions_.begin()->first)->free();
  if (size_) munmap(at(base_), size_);
}

bool HostMemory::reserve(std::uint64_t base, std::uint64_t size) {
  std::lock_guard lock(mutex_);
  if (size_) {
    if (base == base_ && size == size_) return true;
    munmap(at(base_), size_);
    size_ = 0;
  }
  if (!size) return true;
  void* got = mmap(at(base), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return false;
  if (got != at(base)) {  // a kernel that does not know MAP_FIXED_NOREPLACE
    munmap(got, size);
    return false;
  }
  base_ = base;
  size_ = size;
  return true;
}

hipError_t HostMemory::expose(std::uint64_t address, std::uint64_t size) {
  std::lock_guard lock(mutex_);
  const std::uint64_t pages = wholePages(size);
  if (!size || size > size_ || address % kPage || address < base_ || address - base_ > size_ - pages) {
    return hipErrorInvalidValue;
  }
  const auto next = regions_.lower_bound(address);
  if (next != regions_.end() && next->first - address < pages) return hipErrorInvalidValue;
  if (next != regions_.begin() && std::prev(next)->first + std::prev(next)->second.size > address) {
    return hipErrorInvalidValue;
  }
  leaving_.freeOverlapping(address, pages);
  auto* agreed = static_cast<std::byte*>(std::calloc(size, 1));  // untouched until something differs
  if (!agreed) return hipErrorOutOfMemory;
  Region region{size, std::unique_ptr<std::byte, Free>(agreed)};
  if (mmap(at(address), pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    return hipErrorOutOfMemory;
  }
  const hipError_t error =
      backend_.hip.hipHostRegister(at(address), pages, hipHostRegisterMapped | hipHostRegisterPortable);
  if (error != hipSuccess) {
    mmap(at(address), pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return error;
  }
  regions_[address] = std::move(region);
  count_ = regions_.size();
  return hipSuccess;
}

std::shared_ptr<Leaving> HostMemory::conceal(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto found = regions_.find(address);
  if (found == regions_.end()) return nullptr;
  const std::uint64_t size = wholePages(found->second.size);
  regions_.erase(found);
  count_ = regions_.size();
  return leaving_.add(address, size, [this, address, size] {
    backend_.hip.hipHostUnregister(at(address));
    mmap(at(address), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  });
}

std::map<std::uint64_t, HostMemory::Region>::iterator HostMemory::around(std::uint64_t address, std::uint64_t size) {
  auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) return regions_.end();
  --next;
  const std::uint64_t offset = address - next->first;
  return size <= next->second.size && offset <= next->second.size - size ? next : regions_.end();
}

bool HostMemory::covers(std::uint64_t address, std::uint64_t size) {
  std::lock_guard lock(mutex_);
  return around(address, size) != regions_.end();
}

bool HostMemory::apply(std::uint64_t address, wire::Bytes bytes) {
  std::lock_guard lock(mutex_);
  const auto region = around(address, bytes.size());
  if (region == regions_.end()) return false;
  auto* memory = static_cast<std::byte*>(at(address));
  std::byte* agreed = region->second.agreed.get() + (address - region->first);
  // Joined runs bring bytes the client did not change. Those must not undo what a kernel has written meanwhile.
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == agreed[i]) continue;
    memory[i] = agreed[i] = bytes[i];
  }
  return true;
}

void HostMemory::sendChanges(Outbox& outbox) {
  std::vector<std::byte> frames;
  std::lock_guard lock(mutex_);
  for (auto& [address, region] : regions_) {
    for (std::uint64_t offset = 0; offset < region.size; offset += kPage) {
      std::byte* agreed = region.agreed.get() + offset;
      const std::size_t size = std::min(kPage, region.size - offset);
      if (std::memcmp(at(address + offset), agreed, size) == 0) continue;
      appendChanges(frames, address + offset, agreed, size);
      if (frames.size() < kBatch) continue;
      outbox.sendBulk(frames, {});
      frames.clear();
    }
  }
  if (!frames.empty()) outbox.sendBulk(frames, {});
}

}  // namespace hipr::worker
