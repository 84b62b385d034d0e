// RemoteCore: where memory comes from.
#include "client/remote_core.h"

namespace hipr::client {
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
  const auto ask = [&](wire::AllocateMemoryReply& reply) {
    return s.connection().call<Opcode::kAllocateMemory>({a.device, a.size}, reply);
  };
  wire::AllocateMemoryReply reply;
  if (!ask(reply)) return kLost;
  // What was freed is there until the work that may use it is done, for which a local hipFree would have waited.
  if (const Moment everything = s.streams().now(); reply.status == hipErrorOutOfMemory && !everything.passed())
    if (s.waitFor(everything) == kLost || !ask(reply)) return kLost;
  if (reply.status == hipSuccess && !s.worksAt(reply.address, a.size)) {
    s.connection().loseAndRest(Status::invalid("memory at an impossible address"));
    return kLost;
  }
  a.devicePointer = pointer(reply.address);
  return errorFrom(reply.status);
}

}  // namespace

hipError_t RemoteCore::allocate(Allocation& a) {
  Session& s = session();
  switch (a.kind) {
    case MemoryKind::kDevice:
      return allocateOnDevice(s, a);
    case MemoryKind::kHost:
    case MemoryKind::kManaged:
      a.host = a.devicePointer = slice_.count > 1 ? s.host().allocateFor(a.size, a.pages) : s.host().allocate(a.size);
      return a.host ? hipSuccess : hipErrorOutOfMemory;
    case MemoryKind::kRegistered:
      a.devicePointer = a.ownPages ? s.host().replace(a.host, a.size, slice_.count > 1 ? &a.pages : nullptr)
                                   : s.host().adopt(a.host, a.size);
      return a.devicePointer ? hipSuccess : hipErrorOutOfMemory;
    case MemoryKind::kPageable:
      break;
  }
  return hipErrorInvalidValue;
}

hipError_t RemoteCore::admit(const Allocation& a) {
  return session().host().admit(address(a.devicePointer), a.size, a.host, a.pages) ? hipSuccess : hipErrorOutOfMemory;
}

void RemoteCore::dismiss(const Allocation& a) {
  session().letGo(a);
  session().host().dismiss(address(a.devicePointer));
}

void RemoteCore::reveal(const Allocation& a) {
  session().host().reveal(a.devicePointer);
}

hipError_t RemoteCore::release(const Allocation& a) {
  Session& s = session();
  s.letGo(a);
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

}  // namespace hipr::client
