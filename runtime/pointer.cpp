// What a pointer is: attributes, ranges, flags.
#include "runtime/api.h"
#include "runtime/memory.h"
#include "runtime/registry.h"

namespace hipr {

std::optional<Region> findRegion(Process& p, const void* address) {
  const auto known = p.allocations.find(address);
  return known ? known : managedVariableAt(p, address);
}

// __managed__ variables live in memory of the program that was registered, so the kind alone does not tell.
bool isManaged(const Region& region) {
  return region.allocation.kind == MemoryKind::kManaged ||
         (region.allocation.kind == MemoryKind::kRegistered && region.origin == Region::Origin::kVariable);
}

namespace api {

namespace {

// Only hipPointerGetAttributes calls managed memory by its name.
hipMemoryType placeOf(const Region& region) {
  return region.allocation.kind == MemoryKind::kDevice ? hipMemoryTypeDevice : hipMemoryTypeHost;
}

// What hipIpcGetMemHandle takes.
bool canBeShared(const Region& region) {
  return region.allocation.kind == MemoryKind::kDevice &&
         (region.origin == Region::Origin::kAllocated || region.origin == Region::Origin::kStream);
}

void* at(void* base, std::size_t offset) {
  return base == nullptr ? nullptr : static_cast<std::byte*>(base) + offset;
}

template <class T>
hipError_t answer(void* data, T value) {
  *static_cast<T*>(data) = value;
  return hipSuccess;
}

// What an attribute reads as when the pointer has none.
void clear(void* data, hipPointer_attribute attribute) {
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      answer<void*>(data, nullptr);
      break;
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
    case HIP_POINTER_ATTRIBUTE_MAPPED:
      answer(data, false);
      break;
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      answer(data, std::uint32_t{0});
      break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      answer(data, static_cast<int>(hipInvalidDeviceId));
      break;
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
      answer(data, int{0});
      break;
    default:
      break;
  }
}

}  // namespace

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* ptr) {
  Process* p;
  HIPR_TRY(process(p));
  if (attributes == nullptr) return hipErrorInvalidValue;
  const auto region = findRegion(*p, ptr);
  if (!region) {
    *attributes = {};
    attributes->type = hipMemoryTypeUnregistered;
    attributes->device = hipInvalidDeviceId;
    return hipSuccess;
  }
  const Allocation& memory = region->allocation;
  const std::size_t offset = region->offsetOf(ptr);
  reveal(memory);
  const bool managed = isManaged(*region);
  *attributes = {.type = managed ? hipMemoryTypeManaged : placeOf(*region),
                 .device = memory.owner->ordinal,
                 .devicePointer = at(memory.devicePointer, offset),
                 .hostPointer = memory.kind == MemoryKind::kDevice ? nullptr : at(memory.host, offset),
                 .isManaged = managed,
                 .allocationFlags = managed ? 0 : memory.flags};
  return hipSuccess;
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
  Process* p;
  HIPR_TRY(process(p));
  if (data == nullptr || ptr == nullptr) return hipErrorInvalidValue;
  const auto region = findRegion(*p, ptr);
  if (!region) {
    if (attribute == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE && p->arrays.find(ptr) != nullptr)
      return answer(data, hipMemoryTypeArray);
    clear(data, attribute);
    return hipErrorInvalidValue;
  }
  const Allocation& memory = region->allocation;
  const std::size_t offset = region->offsetOf(ptr);
  Device* device = memory.owner;
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_CONTEXT:
      return answer(data, contextOf(device));
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer(data, placeOf(*region));
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
      reveal(memory);
      return answer(data, at(memory.devicePointer, offset));
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      if (memory.kind == MemoryKind::kDevice) {
        clear(data, attribute);
        return hipErrorInvalidValue;
      }
      return answer(data, at(memory.host, offset));
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return answer(data, memory.synchronous);
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer(data, static_cast<std::uint32_t>(memory.id));
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer(data, isManaged(*region));
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer(data, device->ordinal);
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return answer(data, memory.devicePointer);
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
      return answer(data, static_cast<std::uint32_t>(memory.size));  // HIP stores 32 bits here
    case HIP_POINTER_ATTRIBUTE_MAPPED:
      return answer(data, true);
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return answer(data, std::uint32_t{hipMemAccessFlagsProtReadWrite});
    case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      if (region->origin != Region::Origin::kStream) return hipErrorNotSupported;
      return answer(data, region->owner);
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
      return answer(data, int{canBeShared(*region)});
    case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
    case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return hipErrorNotSupported;
  }
  return hipErrorInvalidValue;
}

// An attribute that has no value for this pointer reads as nothing instead of being an error.
hipError_t hipDrvPointerGetAttributes(unsigned int numAttributes, hipPointer_attribute* attributes, void** data,
                                      hipDeviceptr_t ptr) {
  Process* p;
  HIPR_TRY(process(p));
  if (numAttributes == 0 || attributes == nullptr || data == nullptr || ptr == nullptr) return hipErrorInvalidValue;
  for (unsigned i = 0; i < numAttributes; ++i)
    static_cast<void>(api::hipPointerGetAttribute(data[i], attributes[i], ptr));
  return hipSuccess;
}

// The one attribute that can be set asks for synchronous operations, which ours are wherever it would matter.
hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
  Process* p;
  HIPR_TRY(process(p));
  if (value == nullptr || ptr == nullptr || attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
      *static_cast<const unsigned*>(value) > 1)
    return hipErrorInvalidValue;
  const bool on = *static_cast<const unsigned*>(value) != 0;
  const bool known = p->allocations.change(ptr, [&](Allocation& memory) { memory.synchronous = on; });
  return known || findRegion(*p, ptr) ? hipSuccess : hipErrorInvalidDevicePointer;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* pbase, size_t* psize, hipDeviceptr_t dptr) {
  Process* p;
  HIPR_TRY(process(p));
  if (pbase == nullptr && psize == nullptr) return hipErrorInvalidValue;
  const auto region = findRegion(*p, dptr);
  if (!region) return hipErrorNotFound;
  if (pbase != nullptr) *pbase = region->allocation.devicePointer;
  if (psize != nullptr) *psize = region->allocation.size;
  return hipSuccess;
}

hipError_t hipMemPtrGetInfo(void* ptr, size_t* size) {
  Process* p;
  HIPR_TRY(process(p));
  if (size == nullptr) return hipErrorInvalidValue;
  *size = 0;
  if (ptr == nullptr) return hipSuccess;
  const auto region = findRegion(*p, ptr);
  if (!region) return hipErrorInvalidValue;
  *size = region->allocation.size;
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr
