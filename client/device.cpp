// core: whole-device actions.
#include "client/session.h"
#include "runtime/async_error.h"
#include "runtime/core.h"

namespace hipr::core {
using namespace client;
using wire::Opcode;

hipError_t deviceSynchronize(int device) {
  Session& s = session();
  const Moment before = s.streams().now(device);
  wire::Done done;
  if (!s.connection().call<Opcode::kDeviceSynchronize>({device}, done)) return kLost;
  s.streams().passed(before);
  return static_cast<hipError_t>(done.status);
}

// A new session is a device that nothing can be wrong with, whatever has become of the old one; but it costs the
// objects of every device. While others are in use, only those of this device are dropped.
hipError_t deviceReset(int device, bool alone) {
  if (alone) return renewSession();
  Session& s = session();
  wire::Done done;
  if (!s.connection().call<Opcode::kDeviceReset>({device}, done)) return kLost;
  s.streams().removeAll(device);
  return static_cast<hipError_t>(done.status);
}

hipError_t setLimit(int device, hipLimit_t limit, std::size_t value) {
  session().connection().post<Opcode::kSetLimit>({device, limit, value});
  return hipSuccess;
}

hipError_t setPeerAccess(int device, int peer, bool enabled) {
  session().connection().post<Opcode::kSetPeerAccess>({device, peer, enabled});
  return hipSuccess;
}

hipError_t memoryInfo(int device, std::size_t* free, std::size_t* total) {
  Session& s = session();
  wire::MemoryInfoReply reply;
  if (!s.connection().call<Opcode::kMemoryInfo>({device}, reply)) return kLost;
  *free = reply.free + (s.placesMemory() ? s.heap(device).mappedFree() : 0);
  *total = reply.total;
  return static_cast<hipError_t>(reply.status);
}

}  // namespace hipr::core
