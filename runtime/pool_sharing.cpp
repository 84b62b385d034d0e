// Memory pools of one process that others import: the pool by a file descriptor, with who may access it, and each of
// its allocations by a pointer's export data.
#include <algorithm>
#include <cstring>

#include "platform/process.h"
#include "runtime/api.h"
#include "runtime/ipc.h"
#include "runtime/memory.h"

namespace hipr::api {

namespace {

constexpr std::size_t kMostDevices = 64;

// What the descriptor has behind it.
struct PoolNote {
  char kind[8] = {'h', 'i', 'p', 'r', 'p', 'o', 'o', 'l'};
  std::int32_t device = 0;
  std::uint32_t count = 0;
  struct Access {
    std::int32_t device, flags;
  } access[kMostDevices] = {};
};

}  // namespace

hipError_t hipMemPoolExportToShareableHandle(void* shared_handle, hipMemPool_t mem_pool,
                                             hipMemAllocationHandleType handle_type, unsigned int flags) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(process(p));
  if (mem_pool == nullptr || shared_handle == nullptr || flags != 0) return hipErrorInvalidValue;
  HIPR_TRY(findPool(mem_pool, p, pool));
  PoolNote note;
  {
    std::lock_guard lock(pool->mutex);
    if (handle_type == hipMemHandleTypeNone || handle_type != pool->properties.handleTypes) return hipErrorInvalidValue;
    note.device = pool->owner->ordinal;
    for (const auto& [device, access] : pool->access)
      if (note.count < kMostDevices) note.access[note.count++] = {device, access};
  }
  const int descriptor = platform::makeNote(std::string(reinterpret_cast<const char*>(&note), sizeof note));
  if (descriptor < 0) return hipErrorInvalidValue;
  std::memcpy(shared_handle, &descriptor, sizeof descriptor);
  return hipSuccess;
}

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* mem_pool, void* shared_handle,
                                               hipMemAllocationHandleType handle_type, unsigned int flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (mem_pool == nullptr || shared_handle == nullptr || flags != 0 || handle_type == hipMemHandleTypeNone)
    return hipErrorInvalidValue;
  const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(shared_handle));
  const std::string bytes = platform::readNote(descriptor, sizeof(PoolNote));
  PoolNote note;
  if (bytes.size() != sizeof note || std::memcmp(bytes.data(), note.kind, sizeof note.kind) != 0)
    return hipErrorOutOfMemory;  // as AMD's runtime says of what it cannot map
  std::memcpy(&note, bytes.data(), sizeof note);
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.handleTypes = handle_type;
  properties.location = {hipMemLocationTypeDevice, note.device};
  HIPR_TRY(api::hipMemPoolCreate(mem_pool, &properties));
  MemoryPool* pool = p->pools.find(*mem_pool);
  std::lock_guard lock(pool->mutex);
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(note.count, kMostDevices); ++i)
    pool->access[note.access[i].device] = static_cast<hipMemAccessFlags>(note.access[i].flags);
  return hipSuccess;
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* export_data, void* dev_ptr) {
  Process* p;
  HIPR_TRY(process(p));
  if (export_data == nullptr || dev_ptr == nullptr) return hipErrorInvalidValue;
  const auto region = p->allocations.find(dev_ptr);
  if (!region || region->allocation.kind != MemoryKind::kDevice || region->origin != Region::Origin::kStream)
    return hipErrorOutOfMemory;
  IpcHandle out{.kind = IpcHandle::kPoolPointer,
                .serial = static_cast<std::uint32_t>(region->allocation.id),
                .process = processNumber(),
                .inside = region->offsetOf(dev_ptr)};
  HIPR_TRY(sharePart(*region, out.part));
  std::memcpy(export_data, &out, sizeof out);
  return hipSuccess;
}

// Unlike an IPC handle, it may be imported where it was exported.
hipError_t hipMemPoolImportPointer(void** dev_ptr, hipMemPool_t mem_pool, hipMemPoolPtrExportData* export_data) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(process(p));
  if (mem_pool == nullptr || export_data == nullptr || dev_ptr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findPool(mem_pool, p, pool));
  const IpcHandle wanted = readHandle(*export_data);
  void* begin = nullptr;
  if (wanted.kind != IpcHandle::kPoolPointer || wanted.inside >= wanted.part.size ||
      openPart(*p, *pool->owner, wanted.part, begin) != hipSuccess)
    return hipErrorOutOfMemory;
  *dev_ptr = static_cast<std::byte*>(begin) + wanted.inside;
  return hipSuccess;
}

}  // namespace hipr::api
