#include "backends/softgpu/vmm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <algorithm>

#include "backends/softgpu/memory_file.h"
#include "backends/softgpu/state.h"
#include "base/log.h"

namespace hipr::softgpu {
namespace {

constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

// The address range stays ours, but nothing is there.
void unback(std::uint64_t begin, std::uint64_t end) {
  if (mmap(at(begin), end - begin, PROT_NONE, kReserved | MAP_FIXED, -1, 0) == MAP_FAILED)
    logError("softgpu: cannot take back a mapping of %zu bytes", static_cast<std::size_t>(end - begin));
}

}  // namespace

// Guarded by Vmm::mutex_ except for its destruction, when nobody else knows it.
struct Vmm::Physical {
  Physical(Device& owner, std::size_t bytes) : device(owner), size(bytes) {}
  ~Physical() {
    if (parked != nullptr) munmap(parked, size);
    device.refund(size);
  }

  Device& device;
  const std::size_t size;
  bool held = true;        // the program still has its handle
  std::uint64_t home = 0;  // where its private pages are mapped, if they are
  void* parked = nullptr;  // where they are kept while unmapped
  MemoryFile file;         // once it is shared

  hipError_t place(std::uint64_t begin, std::size_t bytes, std::size_t offset) {
    const bool whole = offset == 0 && bytes == size;
    if (!file && home == 0 && whole) return placePrivate(begin);
    return share() && file.mapAt(begin, bytes, offset) ? hipSuccess : hipErrorOutOfMemory;
  }

  hipError_t placePrivate(std::uint64_t begin) {
    void* memory = parked != nullptr ? mremap(parked, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at(begin))
                                     : mmap(at(begin), size, PROT_READ | PROT_WRITE, kReserved | MAP_FIXED, -1, 0);
    if (memory == MAP_FAILED) return hipErrorOutOfMemory;
    if (parked == nullptr && size >= kHugePage) madvise(memory, size, MADV_HUGEPAGE);
    parked = nullptr;
    home = begin;
    return hipSuccess;
  }

  // Moves the contents to a memory file, in place under an existing mapping.
  bool share() {
    if (file) return true;
    MemoryFile made = MemoryFile::make(size);
    const auto* from = static_cast<const std::byte*>(home != 0 ? at(home) : parked);
    if (!made || (from != nullptr && !made.fill(from)) || (home != 0 && !made.mapAt(home, size, 0))) return false;
    if (parked != nullptr) munmap(parked, size);
    parked = nullptr;
    home = 0;
    file = std::move(made);
    return true;
  }
};

Vmm::Vmm(RegionTable& regions, Reach reach, Retire retire)
    : regions_(regions), reach_(reach), retire_(std::move(retire)) {}
Vmm::~Vmm() = default;

hipError_t Vmm::reserve(void** address, std::size_t size, std::size_t alignment, void* hint) {
  alignment = std::max(alignment, kGranularity);
  if (size % kPage != 0 || (alignment & (alignment - 1)) != 0) return hipErrorInvalidValue;
  const auto wanted = reinterpret_cast<std::uint64_t>(hint);
  std::uint64_t begin = 0;
  if (wanted != 0 && wanted % kPage == 0) {
    void* got = mmap(hint, size, PROT_NONE, kReserved | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == hint) {
      begin = wanted;
    } else if (got != MAP_FAILED) {
      munmap(got, size);  // a kernel that does not know the flag takes the address as a wish
    }
  }
  if (begin == 0) {
    void* got = mmap(nullptr, size + alignment, PROT_NONE, kReserved, -1, 0);
    if (got == MAP_FAILED) return hipErrorOutOfMemory;
    const auto first = reinterpret_cast<std::uint64_t>(got);
    begin = roundUp(first, alignment);
    if (begin > first) munmap(got, begin - first);
    if (begin < first + alignment) munmap(at(begin + size), first + alignment - begin);
  }
  Reserved made{begin + size, 0};
  if (reach_ == Reach::kDeviceOnly) {
    void* bytes = mmap(nullptr, size, PROT_NONE, kReserved, -1, 0);
    if (bytes == MAP_FAILED) {
      munmap(at(begin), size);
      return hipErrorOutOfMemory;
    }
    made.shift = reinterpret_cast<std::uint64_t>(bytes) - begin;
  }
  const std::lock_guard lock(mutex_);
  reservations_.emplace(begin, made);
  *address = at(begin);
  return hipSuccess;
}

hipError_t Vmm::free(void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  std::unique_lock lock(mutex_);
  waitForLeaving(lock, begin, begin + size);
  const auto found = reservations_.find(begin);
  if (found == reservations_.end() || found->second.end != begin + size) return hipErrorInvalidValue;
  const auto next = mappings_.lower_bound(begin);
  if (next != mappings_.end() && next->first < begin + size) return hipErrorInvalidValue;  // something is mapped there
  if (found->second.shift != 0) munmap(at(begin + found->second.shift), size);
  reservations_.erase(found);
  munmap(address, size);
  return hipSuccess;
}

hipError_t Vmm::create(std::uint64_t* physical, std::size_t size, Device& device) {
  if (size % kGranularity != 0) return hipErrorInvalidValue;
  if (!device.charge(size)) return hipErrorOutOfMemory;
  auto made = std::make_shared<Physical>(device, size);
  const std::lock_guard lock(mutex_);
  *physical = nextHandle_++;
  handles_.emplace(*physical, std::move(made));
  return hipSuccess;
}

hipError_t Vmm::adopt(std::uint64_t* physical, MemoryFile file, Device& device) {
  if (!file || file.size() % kGranularity != 0) return hipErrorInvalidValue;
  if (!device.charge(file.size())) return hipErrorOutOfMemory;
  auto made = std::make_shared<Physical>(device, file.size());
  made->file = std::move(file);
  const std::lock_guard lock(mutex_);
  *physical = nextHandle_++;
  handles_.emplace(*physical, std::move(made));
  return hipSuccess;
}

hipError_t Vmm::share(std::uint64_t physical, int* descriptor) {
  const std::lock_guard lock(mutex_);
  const auto found = handles_.find(physical);
  if (found == handles_.end()) return hipErrorInvalidValue;
  if (!found->second->share()) return hipErrorOutOfMemory;
  *descriptor = fcntl(found->second->file.descriptor(), F_DUPFD_CLOEXEC, 0);
  return *descriptor >= 0 ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t Vmm::release(std::uint64_t physical) {
  const std::lock_guard lock(mutex_);
  const auto found = handles_.find(physical);
  if (found == handles_.end()) return hipErrorInvalidValue;
  found->second->held = false;
  handles_.erase(found);  // mappings keep the memory
  return hipSuccess;
}

hipError_t Vmm::map(void* address, std::size_t size, std::size_t offset, std::uint64_t physical) {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  const std::uint64_t end = begin + size;
  std::unique_lock lock(mutex_);
  waitForLeaving(lock, begin, end);
  const auto found = handles_.find(physical);
  if (found == handles_.end() || begin % kPage != 0 || size % kPage != 0 || offset % kPage != 0)
    return hipErrorInvalidValue;
  const std::shared_ptr<Physical> memory = found->second;
  const Reserved* const place = reserved(begin, end);
  if (offset > memory->size || size > memory->size - offset || place == nullptr) return hipErrorInvalidValue;
  const auto next = mappings_.upper_bound(begin);
  if ((next != mappings_.end() && next->first < end) ||
      (next != mappings_.begin() && std::prev(next)->second.end > begin))
    return hipErrorInvalidValue;
  const std::uint64_t shift = place->shift;
  if (const hipError_t error = memory->place(begin + shift, size, offset); error != hipSuccess) return error;
  if (!regions_.insert({begin, end, 0, -1, true, shift})) {
    unback(begin + shift, end + shift);
    return hipErrorMapFailed;
  }
  mappings_.emplace(begin, Mapped{end, memory, 0, shift});
  return hipSuccess;
}

hipError_t Vmm::unmap(void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  std::vector<Leaving> leaving;
  {
    const std::lock_guard lock(mutex_);
    if (!covers(begin, begin + size)) return hipErrorInvalidValue;
    for (auto each = mappings_.find(begin); each != mappings_.end() && each->first < begin + size;) {
      const std::uint64_t shift = each->second.shift;
      auto remove = [this, first = each->first + shift, end = each->second.end + shift,
                     physical = each->second.physical] { removePages(first, end, *physical); };
      leaving.push_back({each->first, each->second.end, std::make_shared<Task>(std::move(remove))});
      each = mappings_.erase(each);
    }
    leaving_.insert(leaving_.end(), leaving.begin(), leaving.end());
  }
  for (const Leaving& each : leaving) retire_(each.begin, each.gone);
  return hipSuccess;
}

void Vmm::removePages(std::uint64_t begin, std::uint64_t end, Physical& physical) {
  const std::lock_guard lock(mutex_);
  if (physical.home == begin) {
    if (physical.held) {
      // mremap alone would leave it where it is: it moves over a place made for it.
      void* place = mmap(nullptr, end - begin, PROT_NONE, kReserved, -1, 0);
      if (place != MAP_FAILED)
        place = mremap(at(begin), end - begin, end - begin, MREMAP_MAYMOVE | MREMAP_FIXED, place);
      if (place == MAP_FAILED) {
        logError("softgpu: cannot keep the contents of %zu bytes of unmapped memory", physical.size);
      } else {
        physical.parked = place;
      }
    }
    physical.home = 0;
  }
  unback(begin, end);
}

hipError_t Vmm::setAccess(void* address, std::size_t size, std::uint64_t changed, std::uint64_t granted) {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  const std::lock_guard lock(mutex_);
  if (!covers(begin, begin + size)) return hipErrorInvalidValue;
  for (auto each = mappings_.find(begin); each != mappings_.end() && each->first < begin + size; ++each) {
    each->second.devices = (each->second.devices & ~changed) | granted;
    regions_.setDevices(each->first, each->second.devices);
  }
  return hipSuccess;
}

const Vmm::Reserved* Vmm::reserved(std::uint64_t begin, std::uint64_t end) const {
  const auto next = reservations_.upper_bound(begin);
  if (next == reservations_.begin() || std::prev(next)->second.end < end) return nullptr;
  return &std::prev(next)->second;
}

bool Vmm::covers(std::uint64_t begin, std::uint64_t end) const {
  for (auto each = mappings_.find(begin); begin < end; ++each) {
    if (each == mappings_.end() || each->first != begin) return false;
    begin = each->second.end;
  }
  return begin == end;
}

void Vmm::waitForLeaving(std::unique_lock<std::mutex>& lock, std::uint64_t begin, std::uint64_t end) {
  for (;;) {
    std::erase_if(leaving_, [](const Leaving& l) { return l.gone->done(); });
    const auto found = std::find_if(leaving_.begin(), leaving_.end(),
                                    [&](const Leaving& l) { return l.begin < end && begin < l.end; });
    if (found == leaving_.end()) return;
    const CommandPtr gone = found->gone;
    lock.unlock();
    gone->wait();
    lock.lock();
  }
}

}  // namespace hipr::softgpu
