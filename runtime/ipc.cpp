// IPC: device memory and events that several processes use.
#include "runtime/ipc.h"

#include "platform/process.h"
#include "platform/secrets.h"
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/shared_event.h"

namespace hipr {

std::uint64_t processNumber() {
  struct Number {
    std::uint64_t process = platform::processId(), value = 0;
    Number() {
      unsigned char bytes[sizeof value];
      platform::randomBytes(bytes);
      std::memcpy(&value, bytes, sizeof value);
    }
  };
  static std::mutex mutex;
  static Number number;
  std::lock_guard lock(mutex);
  if (number.process != platform::processId()) number = Number();  // a forked child is another process
  return number.value;
}

namespace api {

namespace {

constexpr unsigned kLazyPeerAccess = 1;  // hipIpcMemLazyEnablePeerAccess, the only flag there is

}  // namespace

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* devPtr) {
  Process* p;
  HIPR_TRY(process(p));
  if (handle == nullptr || devPtr == nullptr) return hipErrorInvalidValue;
  const auto region = p->allocations.find(devPtr);
  const bool ours = region && region->allocation.kind == MemoryKind::kDevice &&
                    (region->origin == Region::Origin::kAllocated || region->origin == Region::Origin::kStream);
  if (!ours) return hipErrorInvalidValue;
  IpcHandle out{.kind = IpcHandle::kMemory,
                .serial = static_cast<std::uint32_t>(region->allocation.id),
                .process = processNumber(),
                .inside = region->offsetOf(devPtr)};
  HIPR_TRY(sharePart(*region, out.part));
  std::memcpy(handle, &out, sizeof out);
  return hipSuccess;
}

hipError_t hipIpcOpenMemHandle(void** devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (devPtr == nullptr || flags != kLazyPeerAccess) return hipErrorInvalidValue;
  const IpcHandle wanted = readHandle(handle);
  if (wanted.kind != IpcHandle::kMemory || wanted.inside >= wanted.part.size) return hipErrorInvalidValue;
  if (wanted.process == processNumber()) return hipErrorInvalidContext;
  HIPR_TRY(asyncError(*device));
  void* begin = nullptr;
  HIPR_TRY(openPart(*p, *device, wanted.part, begin));
  *devPtr = static_cast<std::byte*>(begin) + wanted.inside;
  return hipSuccess;
}

hipError_t hipIpcCloseMemHandle(void* devPtr) {
  Process* p;
  HIPR_TRY(process(p));
  if (devPtr == nullptr) return hipErrorInvalidValue;
  const auto region = p->allocations.find(devPtr);
  if (!region || region->origin != Region::Origin::kOpened) return hipErrorInvalidValue;
  return closeOpened(*p, *region);
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event) {
  Process* p;
  HIPR_TRY(process(p));
  if (handle == nullptr || event == nullptr) return hipErrorInvalidValue;
  Event* e = p->events.find(event);
  if (e == nullptr) return hipErrorInvalidHandle;
  if ((e->flags & hipEventInterprocess) == 0) return hipErrorInvalidConfiguration;
  IpcHandle out{.kind = IpcHandle::kEvent, .serial = static_cast<std::uint32_t>(e->id), .process = processNumber()};
  HIPR_TRY(shareEvent(*p, *e, out.part));
  std::memcpy(handle, &out, sizeof out);
  return hipSuccess;
}

hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle) {
  Process* p;
  HIPR_TRY(process(p));
  if (event == nullptr) return hipErrorInvalidValue;
  const IpcHandle wanted = readHandle(handle);
  if (wanted.kind != IpcHandle::kEvent) return hipErrorInvalidValue;
  if (wanted.process == processNumber()) return hipErrorInvalidContext;
  hipEvent_t made = nullptr;
  HIPR_TRY(api::hipEventCreateWithFlags(&made, hipEventDisableTiming | hipEventInterprocess));
  if (const hipError_t error = joinEvent(*p, *p->events.find(made), wanted.part); error != hipSuccess) {
    static_cast<void>(api::hipEventDestroy(made));
    return error == hipErrorInvalidDevicePointer ? hipErrorInvalidValue : error;
  }
  *event = made;
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr
