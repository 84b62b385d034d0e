// Managed memory, and what programs say about it. Advice and prefetches are hints: they are checked and remembered.
#include <algorithm>

#include "runtime/api.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace hipr::api {

namespace {

bool within(const Region& region, const void* address, std::size_t size) {
  return size <= region.allocation.size - region.offsetOf(address);
}

// A range inside managed memory, or memory of the program that was registered: nothing else can be advised about.
hipError_t checkRange(const std::optional<Region>& region, const void* address, std::size_t size) {
  if (!region || size == 0 || !within(*region, address, size)) return hipErrorInvalidValue;
  return isManaged(*region) || region->allocation.kind == MemoryKind::kRegistered ? hipSuccess : hipErrorInvalidValue;
}

// Memory that cannot be advised about is coherent or not as it was allocated.
int coherencyOf(const Allocation& memory) {
  const bool onDevice = memory.kind == MemoryKind::kDevice;
  const bool fine = onDevice ? memory.flags == hipDeviceMallocFinegrained || memory.flags == hipDeviceMallocUncached
                             : (memory.flags & hipHostMallocNonCoherent) == 0;
  return fine ? hipMemRangeCoherencyModeFineGrain : hipMemRangeCoherencyModeCoarseGrain;
}

// Advice is about whole pages: every one of the allocation that the range touches.
struct Pages {
  Pages(const Region& region, const void* address, std::size_t size) {
    constexpr std::uintptr_t kPage = 4096;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const std::uintptr_t start = at - region.offsetOf(address);
    const std::uintptr_t first = std::max(at & ~(kPage - 1), start);
    const std::uintptr_t last = std::min((at + size + kPage - 1) & ~(kPage - 1), start + region.allocation.size);
    begin = reinterpret_cast<const void*>(first);
    bytes = last - first;
  }
  const void* begin;
  std::size_t bytes;
};

hipError_t checkLocation(Process& p, int device) {
  Device* found;
  return device == hipCpuDeviceId ? hipSuccess : findDevice(p, device, found);
}

hipError_t deviceOf(const hipMemLocation& location, int& device) {
  switch (location.type) {
    case hipMemLocationTypeDevice:
      device = location.id;
      return hipSuccess;
    case hipMemLocationTypeHost:
    case hipMemLocationTypeHostNuma:
    case hipMemLocationTypeHostNumaCurrent:
      device = hipCpuDeviceId;
      return hipSuccess;
    default:
      return hipErrorInvalidValue;
  }
}

// The value all pieces of the range agree on, or `mixed`.
template <class T, class Get>
T common(const Process& p, const Pages& pages, T mixed, Get&& get) {
  std::set<T> values;
  p.advice.inspect(pages.begin, pages.bytes, [&](const Advice& a) { values.insert(get(a)); });
  return values.size() == 1 ? *values.begin() : mixed;
}

}  // namespace

hipError_t hipMallocManaged(void** dev_ptr, size_t size, unsigned int flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (dev_ptr == nullptr || size == 0) return hipErrorInvalidValue;
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost) return hipErrorInvalidValue;
  HIPR_TRY(p->captures.allocationAllowed());
  return allocateMemory(*p, *device, MemoryKind::kManaged, size, flags, Region::Origin::kAllocated, *dev_ptr);
}

hipError_t hipMemAdvise(const void* dev_ptr, size_t count, hipMemoryAdvise advice, int device) {
  Process* p;
  HIPR_TRY(process(p));
  // Only this advice concerns all devices alike.
  const bool everywhere = advice == hipMemAdviseSetReadMostly || advice == hipMemAdviseUnsetReadMostly;
  if (!everywhere) HIPR_TRY(checkLocation(*p, device));
  const auto region = findRegion(*p, dev_ptr);
  HIPR_TRY(checkRange(region, dev_ptr, count));
  const auto apply = [&](auto&& change) {
    const Pages pages(*region, dev_ptr, count);
    p->advice.apply(pages.begin, pages.bytes, change);
    return hipSuccess;
  };
  switch (advice) {
    case hipMemAdviseSetReadMostly:
      return apply([](Advice& a) { a.readMostly = true; });
    case hipMemAdviseUnsetReadMostly:
      return apply([](Advice& a) { a.readMostly = false; });
    case hipMemAdviseSetPreferredLocation:
      return apply([=](Advice& a) { a.preferredLocation = device; });
    case hipMemAdviseUnsetPreferredLocation:
      return apply([](Advice& a) { a.preferredLocation = hipInvalidDeviceId; });
    case hipMemAdviseSetAccessedBy:
      return apply([=](Advice& a) { a.accessedBy.insert(device); });
    case hipMemAdviseUnsetAccessedBy:
      return apply([=](Advice& a) { a.accessedBy.erase(device); });
    case hipMemAdviseSetCoarseGrain:
      return apply([](Advice& a) { a.coarseGrain = true; });
    case hipMemAdviseUnsetCoarseGrain:
      return apply([](Advice& a) { a.coarseGrain = false; });
  }
  return hipErrorInvalidValue;
}

hipError_t hipMemAdvise_v2(const void* dev_ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location) {
  int device = hipCpuDeviceId;
  HIPR_TRY(deviceOf(location, device));
  return api::hipMemAdvise(dev_ptr, count, advice, device);
}

hipError_t hipMemPrefetchAsync(const void* dev_ptr, size_t count, int device, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (dev_ptr == nullptr || count == 0) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  const auto region = findRegion(*p, dev_ptr);
  if (region && !within(*region, dev_ptr, count)) return hipErrorInvalidValue;
  HIPR_TRY(checkLocation(*p, device));
  // The program's own memory is where the CPU is, and nowhere else unless devices reach it there.
  if (!region && device != hipCpuDeviceId && !p->devices[device]->info->props.pageableMemoryAccess)
    return hipErrorNotSupported;
  if (!region || !isManaged(*region)) return hipSuccess;  // it stays where it is
  const Pages pages(*region, dev_ptr, count);
  p->advice.apply(pages.begin, pages.bytes, [=](Advice& a) { a.lastPrefetch = device; });
  return hipSuccess;
}

hipError_t hipMemPrefetchAsync_v2(const void* dev_ptr, size_t count, hipMemLocation location, unsigned int flags,
                                  hipStream_t stream) {
  int device = hipCpuDeviceId;
  if (flags != 0) return hipErrorInvalidValue;
  HIPR_TRY(deviceOf(location, device));
  return api::hipMemPrefetchAsync(dev_ptr, count, device, stream);
}

hipError_t hipMemRangeGetAttribute(void* data, size_t data_size, hipMemRangeAttribute attribute, const void* dev_ptr,
                                   size_t count) {
  Process* p;
  HIPR_TRY(process(p));
  if (data == nullptr || data_size < sizeof(int) || data_size % sizeof(int) != 0) return hipErrorInvalidValue;
  const auto region = findRegion(*p, dev_ptr);
  const hipError_t advisable = checkRange(region, dev_ptr, count);
  if (advisable != hipSuccess && attribute == hipMemRangeAttributeCoherencyMode && region && count != 0 &&
      within(*region, dev_ptr, count) && data_size == sizeof(int)) {
    *static_cast<int*>(data) = coherencyOf(region->allocation);
    return hipSuccess;
  }
  HIPR_TRY(advisable);
  const Pages pages(*region, dev_ptr, count);
  int* out = static_cast<int*>(data);
  if (attribute != hipMemRangeAttributeAccessedBy && data_size != sizeof(int)) return hipErrorInvalidValue;
  switch (attribute) {
    case hipMemRangeAttributeReadMostly:
      *out = common(*p, pages, false, [](const Advice& a) { return a.readMostly; });
      return hipSuccess;
    case hipMemRangeAttributePreferredLocation:
      *out = common(*p, pages, hipInvalidDeviceId, [](const Advice& a) { return a.preferredLocation; });
      return hipSuccess;
    case hipMemRangeAttributeLastPrefetchLocation:
      *out = common(*p, pages, hipInvalidDeviceId, [](const Advice& a) { return a.lastPrefetch; });
      return hipSuccess;
    case hipMemRangeAttributeCoherencyMode:
      *out = common(*p, pages, hipMemRangeCoherencyModeIndeterminate, [](const Advice& a) {
        return a.coarseGrain ? hipMemRangeCoherencyModeCoarseGrain : hipMemRangeCoherencyModeFineGrain;
      });
      return hipSuccess;
    case hipMemRangeAttributeAccessedBy: {
      const auto devices = common(*p, pages, std::set<int>{}, [](const Advice& a) { return a.accessedBy; });
      const std::size_t room = data_size / sizeof(int);
      std::fill_n(out, room, hipInvalidDeviceId);
      std::copy_n(devices.begin(), std::min(room, devices.size()), out);
      return hipSuccess;
    }
  }
  return hipErrorInvalidValue;
}

hipError_t hipMemRangeGetAttributes(void** data, size_t* data_sizes, hipMemRangeAttribute* attributes,
                                    size_t num_attributes, const void* dev_ptr, size_t count) {
  if (data == nullptr || data_sizes == nullptr || attributes == nullptr || num_attributes == 0)
    return hipErrorInvalidValue;
  for (std::size_t i = 0; i < num_attributes; ++i)
    HIPR_TRY(api::hipMemRangeGetAttribute(data[i], data_sizes[i], attributes[i], dev_ptr, count));
  return hipSuccess;
}

// Which streams may use managed memory makes no difference here: it is coherent for all of them.
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* dev_ptr, size_t length, unsigned int flags) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle)
    return hipErrorInvalidValue;
  if (flags == hipMemAttachSingle && stream == nullptr) return hipErrorInvalidValue;
  const auto region = findRegion(*p, dev_ptr);
  if (!region) {  // the program's own memory
    const bool reached = s->owner->info->props.pageableMemoryAccess != 0;
    return reached && length != 0 ? hipSuccess : hipErrorInvalidValue;
  }
  const bool whole = length == 0 || length == region->allocation.size;
  return whole || !isManaged(*region) ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace hipr::api
