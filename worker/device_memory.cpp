#include "worker/device_memory.h"

#include <algorithm>

#include "types/platform.h"
#include "worker/give.h"

namespace hipr::worker {
namespace {

hipMemAllocationProp propertiesFor(int nativeDevice) {
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, nativeDevice};
  prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;  // any of it may be shared one day
  return prop;
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  std::erase_if(ranges_, [](const auto& entry) { return entry.second.kind == Kind::kAdopted; });
  while (!ranges_.empty()) release(ranges_.begin()->first)->free();
  if (size_) backend_.hip.hipMemAddressFree(at(base_), size_);
}

bool DeviceMemory::placeable() {
  if (placeable_ >= 0) return placeable_;
  placeable_ = backend_.devices() > 0;
  for (int device = 0; device < backend_.devices(); ++device) {
    // Runtimes before 5.3 lay out hipMemAllocationProp differently; they do not know the attribute either.
    int supported = 0;
    if (backend_.hip.hipDeviceGetAttribute(&supported, hipDeviceAttributeVirtualMemoryManagementSupported,
                                           backend_.native(device)) != hipSuccess) {
      supported = 0;
    }
    std::size_t unit = 0;
    const hipMemAllocationProp prop = propertiesFor(backend_.native(device));
    if (!supported ||
        backend_.hip.hipMemGetAllocationGranularity(&unit, &prop, hipMemAllocationGranularityMinimum) != hipSuccess) {
      placeable_ = 0;
    }
    granularity_ = std::max<std::uint64_t>(granularity_, unit);
  }
  return placeable_;
}

std::uint64_t DeviceMemory::granularity() {
  return placeable() ? granularity_ : 0;
}

hipError_t DeviceMemory::reserve(std::uint64_t& base, std::uint64_t size) {
  if (size_) {
    if (base == base_ && size == size_) return hipSuccess;
    if (!ranges_.empty()) return hipErrorAlreadyMapped;
    backend_.hip.hipMemAddressFree(at(base_), size_);
    size_ = 0;
  }
  void* got = nullptr;
  const hipError_t error = backend_.hip.hipMemAddressReserve(&got, size, granularity(), at(base), 0);
  if (error != hipSuccess) return error;
  base = base_ = reinterpret_cast<std::uint64_t>(got);
  size_ = size;
  return hipSuccess;
}

bool DeviceMemory::overlaps(std::uint64_t address, std::uint64_t size) const {
  const auto next = ranges_.lower_bound(address);
  if (next != ranges_.end() && next->first - address < size) return true;
  return next != ranges_.begin() && std::prev(next)->first + std::prev(next)->second.size > address;
}

bool DeviceMemory::direct(int device) const {
  int ordinary = 0;
  return backend_.hip.hipDeviceGetAttribute(&ordinary, static_cast<hipDeviceAttribute_t>(kOrdinaryMemory),
                                            backend_.native(device)) == hipSuccess &&
         ordinary;
}

std::vector<hipMemAccessDesc> DeviceMemory::access(int device) const {
  std::vector<hipMemAccessDesc> out;
  for (int other = 0; other < backend_.devices(); ++other) {
    int can = other == device;
    if (!can) backend_.hip.hipDeviceCanAccessPeer(&can, backend_.native(other), backend_.native(device));
    if (can) out.push_back({{hipMemLocationTypeDevice, backend_.native(other)}, hipMemAccessFlagsProtReadWrite});
  }
  return out;
}

hipError_t DeviceMemory::map(int device, std::uint64_t address, std::uint64_t size) {
  const std::uint64_t unit = granularity();
  if (!unit || !size || address % unit || size % unit || address < base_ || size > size_ ||
      address - base_ > size_ - size || overlaps(address, size)) {
    return hipErrorInvalidValue;
  }
  if (!leaving_.vacate(address, size)) return hipErrorNotReady;
  const hipMemAllocationProp prop = propertiesFor(backend_.native(device));
  hipMemGenericAllocationHandle_t handle = nullptr;
  if (hipError_t error = backend_.hip.hipMemCreate(&handle, size, &prop, 0); error != hipSuccess) return error;
  if (hipError_t error = place(device, address, size, handle); error != hipSuccess) {
    backend_.hip.hipMemRelease(handle);
    return error;
  }
  ranges_[address] = {size, device, Kind::kMapped, direct(device), handle};
  mapped_[static_cast<std::size_t>(device)] += size;
  return hipSuccess;
}

hipError_t DeviceMemory::place(int device, std::uint64_t address, std::uint64_t size,
                               hipMemGenericAllocationHandle_t handle) {
  if (hipError_t error = backend_.hip.hipMemMap(at(address), size, 0, handle, 0); error != hipSuccess) return error;
  const std::vector<hipMemAccessDesc> who = access(device);
  const hipError_t error = backend_.hip.hipMemSetAccess(at(address), size, who.data(), who.size());
  if (error != hipSuccess) backend_.hip.hipMemUnmap(at(address), size);
  return error;
}

std::uint64_t DeviceMemory::costOf(std::uint64_t size) {
  constexpr std::uint64_t kPage = 4096;  // no runtime takes less for it, and we remember it besides
  return size > UINT64_MAX - kPage ? UINT64_MAX : std::max<std::uint64_t>(1, (size + kPage - 1) / kPage) * kPage;
}

hipError_t DeviceMemory::allocate(int device, std::uint64_t size, std::uint64_t& address) {
  void* got = nullptr;
  backend_.use(device);
  if (hipError_t error = backend_.hip.hipMalloc(&got, size); error != hipSuccess) return error;
  address = reinterpret_cast<std::uint64_t>(got);
  ranges_[address] = {size, device, Kind::kAllocated, direct(device), nullptr};
  charge(device, costOf(size));
  return hipSuccess;
}

void DeviceMemory::adopt(int device, std::uint64_t address, std::uint64_t size) {
  if (size && !overlaps(address, size)) ranges_[address] = {size, device, Kind::kAdopted, direct(device), nullptr};
}

void DeviceMemory::disown(std::uint64_t address) {
  const auto found = ranges_.find(address);
  if (found != ranges_.end() && found->second.kind == Kind::kAdopted) ranges_.erase(found);
}

void DeviceMemory::leaveAlone(std::uint64_t address) {
  if (const auto found = ranges_.find(address); found != ranges_.end()) found->second.direct = false;
}

std::shared_ptr<Leaving> DeviceMemory::release(std::uint64_t address) {
  const auto found = ranges_.find(address);
  if (found == ranges_.end() || found->second.kind == Kind::kAdopted) return nullptr;
  const Range range = found->second;
  ranges_.erase(found);
  if (range.kind == Kind::kMapped) ending_(range.handle);
  return leaving_.add(address, range.size, [this, address, range] {
    const bool allocated = range.kind == Kind::kAllocated;
    if (allocated) {
      backend_.hip.hipFree(at(address));
    } else {
      backend_.hip.hipMemUnmap(at(address), range.size);
      backend_.hip.hipMemRelease(range.handle);
    }
    refund(range.device, allocated ? costOf(range.size) : range.size);
  });
}

Lent DeviceMemory::lend(std::uint64_t address, std::uint64_t& begin) {
  auto range = ranges_.upper_bound(address);
  if (range == ranges_.begin()) return {};
  --range;
  if (address - range->first >= range->second.size || range->second.kind != Kind::kMapped) return {};
  begin = range->first;
  range->second.direct = false;
  return {range->second.handle, range->second.size};
}

std::vector<std::uint64_t> DeviceMemory::ofDevice(int device) const {
  std::vector<std::uint64_t> out;
  for (const auto& [address, range] : ranges_) {
    if (range.device == device) out.push_back(address);
  }
  return out;
}

bool DeviceMemory::find(std::uint64_t address, std::uint64_t size, Span& span) const {
  auto range = ranges_.upper_bound(address);
  if (range == ranges_.begin()) return false;
  --range;
  span = {range->second.device, true};
  // A client may have mapped neighbouring ranges one by one.
  for (std::uint64_t next = address, end = address + size; next < end;) {
    if (range == ranges_.end() || range->first > next || next - range->first >= range->second.size) return false;
    span.direct = span.direct && range->second.direct;
    next = range->first + range->second.size;
    ++range;
  }
  return true;
}

}  // namespace hipr::worker
