// hipMalloc and its relatives, and hipFree.
#include <algorithm>

#include "base/overflow.h"
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/graph/memory.h"
#include "runtime/memory.h"

namespace hipr {

hipError_t allocateIn(Core& core, Allocation& allocation) {
  HIPR_TRY(core.allocate(allocation));
  if (allocation.kind == MemoryKind::kDevice) return hipSuccess;
  for (Core* other : cores()) {
    if (other == &core || other->lost() != hipSuccess) continue;
    if (const hipError_t error = other->admit(allocation); error != hipSuccess) {
      static_cast<void>(releaseFrom(core, allocation));
      return error;
    }
  }
  return hipSuccess;
}

hipError_t releaseFrom(Core& core, const Allocation& allocation) {
  for (Core* other : cores())
    if (other != &core && allocation.kind != MemoryKind::kDevice) other->dismiss(allocation);
  return core.release(allocation);
}

void admitAll(const Process& p, Core& core) {
  p.allocations.forEach([&](const Region& region) {
    const Allocation& memory = region.allocation;
    if (memory.kind != MemoryKind::kDevice && &memory.owner->evenLost() != &core) static_cast<void>(core.admit(memory));
  });
}

hipError_t allocateMemory(Process& p, Device& device, MemoryKind kind, std::size_t size, unsigned flags,
                          Region::Origin origin, void*& address, const void* owner) {
  HIPR_TRY(asyncError(device));
  Core* core;
  HIPR_TRY(device.reach(core));
  Region region{
      .allocation =
          {.kind = kind, .owner = &device, .device = device.index, .size = size, .flags = flags, .id = p.newId()},
      .origin = origin,
      .owner = owner};
  device.used.store(true, std::memory_order_relaxed);
  hipError_t error = allocateIn(*core, region.allocation);
  if (error == hipErrorOutOfMemory && kind == MemoryKind::kDevice && emptyPools(p, device))
    error = allocateIn(*core, region.allocation);
  HIPR_TRY(error);
  if (!p.allocations.insert(region)) {  // the core gave memory that is in use: better an error than two owners
    static_cast<void>(releaseFrom(*core, region.allocation));
    return hipErrorUnknown;
  }
  address = kind == MemoryKind::kHost ? region.allocation.host : region.allocation.devicePointer;
  return hipSuccess;
}

void fence(Process& p, const Allocation& allocation) {
  const bool everywhere = allocation.kind != MemoryKind::kDevice;  // every device reaches host memory
  p.across.wait(*allocation.owner);
  for (const auto& device : p.devices) {
    Core* core;
    if ((everywhere || device.get() == allocation.owner) && device->reach(core) == hipSuccess)
      core->fence(device->index);
  }
}

void reveal(const Allocation& allocation) {
  if (allocation.kind != MemoryKind::kRegistered) return;
  for (Core* core : cores())
    if (core->lost() == hipSuccess) core->reveal(allocation);
}

hipError_t releaseMemory(Process& p, const Region& region) {
  p.advice.forget(region.allocation.devicePointer, region.allocation.size);
  if (region.allocation.host != nullptr) p.advice.forget(region.allocation.host, region.allocation.size);
  if (region.origin == Region::Origin::kStream) {
    returnToPool(p, region, nullptr);
    return hipSuccess;
  }
  return releaseFrom(region.allocation.owner->evenLost(), region.allocation);
}

hipError_t freeOther(Process& p, void* address) {
  bool taken;
  HIPR_TRY(freeGraphMemory(p, address, taken));
  if (taken) return hipSuccess;
  const auto region = p.allocations.find(address);
  return region && region->origin == Region::Origin::kOpened ? closeOpened(p, *region) : hipErrorInvalidValue;
}

namespace api {

namespace {

hipError_t allocateDevice(void** ptr, std::size_t size, unsigned flags, MemoryKind kind = MemoryKind::kDevice) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (ptr == nullptr) return hipErrorInvalidValue;
  *ptr = nullptr;
  if (size == 0) return hipSuccess;
  return allocateMemory(*p, *device, kind, size, flags, Region::Origin::kAllocated, *ptr);
}

// Rows of `width` bytes, each at a pitch that suits the device.
hipError_t allocatePitched(void** ptr, std::size_t* pitch, std::size_t width, std::size_t rows) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (ptr == nullptr || pitch == nullptr) return hipErrorInvalidValue;
  *ptr = nullptr;
  *pitch = 0;
  if (width == 0 || rows == 0) return hipSuccess;
  const std::size_t alignment = std::max<std::size_t>(device->info->props.texturePitchAlignment, 1);
  std::size_t padded = 0, size = 0;
  if (addOverflows(width, alignment - 1, &padded)) return hipErrorInvalidValue;
  padded -= padded % alignment;
  if (mulOverflows(padded, rows, &size)) return hipErrorOutOfMemory;
  HIPR_TRY(p->captures.allocationAllowed());
  HIPR_TRY(allocateDevice(ptr, size, hipDeviceMallocDefault));
  *pitch = padded;
  return hipSuccess;
}

}  // namespace

hipError_t hipMalloc(void** ptr, size_t size) {
  Process* p;
  HIPR_TRY(process(p));
  if (ptr != nullptr) HIPR_TRY(p->captures.allocationAllowed());
  return allocateDevice(ptr, size, hipDeviceMallocDefault);
}

// Allowed while something is captured, other than hipMalloc.
hipError_t hipExtMallocWithFlags(void** ptr, size_t sizeBytes, unsigned int flags) {
  if (flags > hipDeviceMallocContiguous) return hipErrorInvalidValue;
  if (flags == hipMallocSignalMemory && sizeBytes != 8) return hipErrorInvalidValue;
  // The host writes signals with its own hands.
  return allocateDevice(ptr, sizeBytes, flags,
                        flags == hipMallocSignalMemory ? MemoryKind::kHost : MemoryKind::kDevice);
}

hipError_t hipMallocPitch(void** ptr, size_t* pitch, size_t width, size_t height) {
  return allocatePitched(ptr, pitch, width, height);
}

hipError_t hipMemAllocPitch(hipDeviceptr_t* dptr, size_t* pitch, size_t widthInBytes, size_t height,
                            unsigned int elementSizeBytes) {
  if (elementSizeBytes != 4 && elementSizeBytes != 8 && elementSizeBytes != 16) return hipErrorInvalidValue;
  if (widthInBytes == 0 || height == 0) return hipErrorInvalidValue;
  return allocatePitched(dptr, pitch, widthInBytes, height);
}

hipError_t hipMalloc3D(hipPitchedPtr* pitchedDevPtr, hipExtent extent) {
  if (pitchedDevPtr == nullptr) return hipErrorInvalidValue;
  std::size_t rows = 0;
  if (mulOverflows(extent.height, extent.depth, &rows)) return hipErrorOutOfMemory;
  *pitchedDevPtr = {nullptr, 0, extent.width, extent.height};
  return allocatePitched(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
}

hipError_t hipFree(void* ptr) {
  Process* p;
  HIPR_TRY(process(p));
  if (ptr == nullptr) return hipSuccess;
  HIPR_TRY(p->captures.allocationAllowed());
  const auto region = p->allocations.take(ptr, [](const Region& r) {
    return r.origin == Region::Origin::kAllocated || r.origin == Region::Origin::kStream;
  });
  if (!region) return freeOther(*p, ptr);
  fence(*p, region->allocation);
  HIPR_TRY(releaseMemory(*p, *region));
  return asyncError(*region->allocation.owner);
}

}  // namespace api
}  // namespace hipr
