// Host memory that kernels can reach: allocated by the runtime, or the program's own, registered.
#include <bit>

#include "platform/memory.h"
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/memory.h"

namespace hipr::api {

namespace {

bool reachable(const Region& region) {
  return region.allocation.kind != MemoryKind::kDevice;
}

}  // namespace

hipError_t hipHostMalloc(void** ptr, size_t size, unsigned int flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  // Flags that it does not know mean nothing to AMD's runtime.
  const bool contradictory =
      std::popcount(flags & (hipHostMallocCoherent | hipHostMallocNonCoherent | hipHostMallocUncached)) > 1;
  if (ptr == nullptr || contradictory) return hipErrorInvalidValue;
  HIPR_TRY(p->captures.allocationAllowed());
  *ptr = nullptr;
  if (size == 0) return hipSuccess;
  if (size > platform::physicalMemory()) return hipErrorOutOfMemory;
  return allocateMemory(*p, *device, MemoryKind::kHost, size, flags, Region::Origin::kAllocated, *ptr);
}

hipError_t hipHostAlloc(void** ptr, size_t size, unsigned int flags) {
  constexpr unsigned kKnown =
      hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined | hipHostMallocUncached;
  return (flags & ~kKnown) == 0 ? api::hipHostMalloc(ptr, size, flags) : hipErrorInvalidValue;
}

hipError_t hipMallocHost(void** ptr, size_t size) {
  return api::hipHostMalloc(ptr, size, hipHostMallocDefault);
}
hipError_t hipMemAllocHost(void** ptr, size_t size) {
  return api::hipHostMalloc(ptr, size, hipHostMallocDefault);
}
// HIP frees whatever it has allocated, by either name.
hipError_t hipHostFree(void* ptr) {
  return api::hipFree(ptr);
}
hipError_t hipFreeHost(void* ptr) {
  return api::hipFree(ptr);
}

hipError_t hipHostRegister(void* hostPtr, size_t sizeBytes, unsigned int flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  constexpr unsigned kKnown = hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory |
                              hipHostRegisterReadOnly | hipExtHostRegisterUncached;
  if (hostPtr == nullptr || sizeBytes == 0 || (flags & ~kKnown) != 0) return hipErrorInvalidValue;
  HIPR_TRY(p->captures.allocationAllowed());
  const auto* last = static_cast<const std::byte*>(hostPtr) + sizeBytes - 1;
  if (last < hostPtr) return hipErrorInvalidValue;
  // To register what is reached already changes nothing, and that is success. A part of it cannot be added to.
  const auto first = p->allocations.find(hostPtr), end = p->allocations.find(last);
  if (first && end && reachable(*first) && reachable(*end)) return hipSuccess;
  if (first || end) return hipErrorHostMemoryAlreadyRegistered;
  if (!platform::isMapped(hostPtr, sizeBytes)) return hipErrorInvalidValue;
  HIPR_TRY(asyncError(*device));

  Region region{.allocation = {.kind = MemoryKind::kRegistered,
                               .owner = device,
                               .device = device->index,
                               .size = sizeBytes,
                               .flags = flags,
                               .host = hostPtr,
                               .id = p->newId()},
                .origin = Region::Origin::kRegistered};
  device->used.store(true, std::memory_order_relaxed);
  Core* core;
  HIPR_TRY(device->reach(core));
  HIPR_TRY(allocateIn(*core, region.allocation));
  if (p->allocations.insert(region)) return hipSuccess;
  static_cast<void>(releaseFrom(*core, region.allocation));
  return hipErrorHostMemoryAlreadyRegistered;
}

hipError_t hipHostUnregister(void* hostPtr) {
  Process* p;
  HIPR_TRY(process(p));
  if (hostPtr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(p->captures.allocationAllowed());
  const auto region = p->allocations.take(hostPtr, [&](const Region& r) {
    return r.origin == Region::Origin::kRegistered && r.allocation.host == hostPtr;
  });
  if (!region) return hipErrorHostMemoryNotRegistered;
  fence(*p, region->allocation);
  return releaseMemory(*p, *region);
}

hipError_t hipHostGetDevicePointer(void** devPtr, void* hstPtr, unsigned int flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (devPtr == nullptr || hstPtr == nullptr || flags != 0) return hipErrorInvalidValue;
  *devPtr = nullptr;
  const auto region = findRegion(*p, hstPtr);  // of a device, too, as AMD's runtime has it
  if (!region) return hipErrorInvalidValue;
  reveal(region->allocation);
  *devPtr = static_cast<std::byte*>(region->allocation.devicePointer) + region->offsetOf(hstPtr);
  return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned int* flagsPtr, void* hostPtr) {
  Process* p;
  HIPR_TRY(process(p));
  if (flagsPtr == nullptr || hostPtr == nullptr) return hipErrorInvalidValue;
  const auto region = findRegion(*p, hostPtr);
  const bool managed = region && isManaged(*region);
  if (!managed && (!region || region->allocation.kind != MemoryKind::kHost)) return hipErrorInvalidValue;
  *flagsPtr = managed ? 0 : region->allocation.flags;
  return hipSuccess;
}

}  // namespace hipr::api
