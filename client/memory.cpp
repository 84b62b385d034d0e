// core: where memory comes from.
#include "client/session.h"
#include "runtime/core.h"

namespace hipr::core {
using namespace client;
using wire::Opcode;

namespace {

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}
std::uint64_t address(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

hipError_t allocateOnDevice(Session& s, Allocation& a) {
  if (s.placesMemory()) {
    a.devicePointer = pointer(s.heap(a.device).allocate(a.size));
    return a.devicePointer ? hipSuccess : hipErrorOutOfMemory;
  }
  wire::AllocateMemoryReply reply;
  if (!s.connection().call<Opcode::kAllocateMemory>({a.device, a.size}, reply)) return kLost;
  a.devicePointer = pointer(reply.address);
  return static_cast<hipError_t>(reply.status);
}

}  // namespace

hipError_t allocate(Allocation& a) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  switch (a.kind) {
    case MemoryKind::kDevice:
      return allocateOnDevice(s, a);
    case MemoryKind::kHost:
    case MemoryKind::kManaged:
      a.host = a.devicePointer = s.host().allocate(a.size);
      return a.host ? hipSuccess : hipErrorOutOfMemory;
    case MemoryKind::kRegistered:
      a.devicePointer = s.host().adopt(a.host, a.size);
      return a.devicePointer ? hipSuccess : hipErrorOutOfMemory;
    case MemoryKind::kPageable:
      break;
  }
  return hipErrorInvalidValue;
}

void settle(const Allocation& a) {
  Session& s = session();
  // Freed device memory rests until nothing can touch it any more, so nobody sees whether the free has waited, unless
  // the program's own memory or functions take part in the work, or somebody asks.
  const bool noticeable = s.hostFunctions().pending() || s.connection().transferring() || s.host().anyExposed();
  if (a.kind == MemoryKind::kDevice && !noticeable) {
    s.connection().post<Opcode::kDeviceFence>({a.device});
    return s.streams().owe(a.device);
  }
  for (int device = 0; device < static_cast<int>(s.platform().devices.size()); ++device) {
    if (a.kind == MemoryKind::kDevice && device != a.device) continue;
    if (!s.streams().now(device).passed()) deviceSynchronize(device);
  }
}

hipError_t release(Allocation& a) {
  Session& s = session();
  switch (a.kind) {
    case MemoryKind::kDevice:
      if (s.placesMemory()) {
        s.heap(a.device).release(address(a.devicePointer));
      } else {
        s.connection().post<Opcode::kFreeMemory>({address(a.devicePointer)});
      }
      break;
    case MemoryKind::kHost:
    case MemoryKind::kManaged:
      s.host().release(a.host);
      break;
    case MemoryKind::kRegistered:
      s.host().disown(a.devicePointer);
      break;
    case MemoryKind::kPageable:
      return hipErrorInvalidValue;
  }
  return hipSuccess;
}

}  // namespace hipr::core
