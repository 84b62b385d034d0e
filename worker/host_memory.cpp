#include "worker/host_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "worker/give.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t wholePages(std::uint64_t size) {
  return (size + kPage - 1) / kPage * kPage;
}

// Gives the memory back and keeps the addresses.
void unmap(std::uint64_t address, std::uint64_t size) {
  mmap(at(address), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void sendTo(Outbox& outbox, const wire::HostBytes& changes) {
  std::vector<std::byte> frame;
  appendFrame(frame, wire::Opcode::kHostBytes, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, changes);
  outbox.sendBulk(frame, {}, 0);
}

}  // namespace

HostMemory::HostMemory(const Backend& backend, Outbox& outbox, Meter& meter)
    : backend_(backend),
      meter_(meter),
      mirror_({.send = [&outbox](const wire::HostBytes& changes) { sendTo(outbox, changes); }}) {}

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

bool HostMemory::free(std::uint64_t address, std::uint64_t size) const {
  const std::uint64_t pages = wholePages(size);
  if (!size || size > size_ || address % kPage || address < base_ || address - base_ > size_ - pages) return false;
  const auto next = regions_.lower_bound(address);
  if (next != regions_.end() && next->first - address < pages) return false;
  return next == regions_.begin() || std::prev(next)->first + std::prev(next)->second.size <= address;
}

hipError_t HostMemory::expose(const wire::ExposeHost& m) {
  const auto [address, size, number] = m;
  std::lock_guard lock(mutex_);
  if (!free(address, size) || number == 0) return hipErrorInvalidValue;
  const std::uint64_t pages = wholePages(size);
  const Meter::Share share = meter_.take(Quota::kHostBytes, pages);
  if (!share) return hipErrorOutOfMemory;
  if (hipError_t error = place(address, pages); error != hipSuccess) return error;
  if (!mirror_.add(number, static_cast<std::byte*>(at(address)), size)) {
    backend_.hip.hipHostUnregister(at(address));
    unmap(address, pages);
    return hipErrorInvalidValue;
  }
  regions_[address] = {size, number, share};
  return hipSuccess;
}

hipError_t HostMemory::place(std::uint64_t address, std::uint64_t size) {
  // Programs register the same memory again and again; there is no need to wait until the GPU has let go of it.
  if (leaving_.claim(address, size)) {
    std::memset(at(address), 0, size);
    return hipSuccess;
  }
  if (!leaving_.vacate(address, size)) return hipErrorNotReady;
  if (mmap(at(address), size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    return hipErrorOutOfMemory;
  return introduce(address, size);
}

hipError_t HostMemory::introduce(std::uint64_t address, std::uint64_t size) {
  const hipError_t error =
      backend_.hip.hipHostRegister(at(address), size, hipHostRegisterMapped | hipHostRegisterPortable);
  if (error != hipSuccess) unmap(address, size);
  return error;
}

std::uint64_t HostMemory::sharedSize(std::uint64_t size) {
  return wholePages(size);
}

hipError_t HostMemory::share(const wire::ShareHost& m, const platform::SharedMemory& memory) {
  const auto [address, size] = m;
  std::lock_guard lock(mutex_);
  if (!free(address, size)) return hipErrorInvalidValue;
  const std::uint64_t pages = wholePages(size);
  const Meter::Share share = meter_.take(Quota::kHostBytes, pages);
  if (!share) return hipErrorOutOfMemory;
  if (!leaving_.vacate(address, pages)) return hipErrorNotReady;
  if (!memory.mapOver(at(address), pages).ok()) return hipErrorOutOfMemory;
  if (hipError_t error = introduce(address, pages); error != hipSuccess) return error;
  regions_[address] = {size, 0, share};
  return hipSuccess;
}

std::shared_ptr<Leaving> HostMemory::conceal(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto found = regions_.find(address);
  if (found == regions_.end()) return nullptr;
  const std::uint64_t size = wholePages(found->second.size);
  const Meter::Share share = found->second.share;  // until it is really gone
  if (found->second.number) mirror_.remove(found->second.number);
  regions_.erase(found);
  return leaving_.add(address, size, [this, address, size, share] {
    backend_.hip.hipHostUnregister(at(address));
    unmap(address, size);
  });
}

bool HostMemory::covers(std::uint64_t address, std::uint64_t size) {
  std::lock_guard lock(mutex_);
  const auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) return false;
  const auto& [begin, region] = *std::prev(next);
  return size <= region.size && address - begin <= region.size - size;
}

}  // namespace hipr::worker
