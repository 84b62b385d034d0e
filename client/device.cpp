// RemoteCore: whole-device actions.
#include <algorithm>

#include "client/remote_core.h"
#include "rtc/codec.h"

namespace hipr::client {
using wire::Opcode;

hipError_t RemoteCore::synchronize(int device) {
  Session& s = session();
  const Moment now = s.streams().now(device);
  if (!s.mayPretend()) return waitFor(device, now);
  fence(device);
  return hipSuccess;
}

hipError_t RemoteCore::waitFor(int device, const Moment& moment) {
  Session& s = session();
  wire::Done done;
  if (!s.connection().call<Opcode::kDeviceSynchronize>({device}, done)) return kLost;
  if (tellsOfOrder(done)) s.streams().show(moment);
  return errorFrom(done.status);
}

// A new session is a device that nothing can be wrong with, whatever has become of the old one; but it costs the
// objects of every device. While others are in use, only those of this device are dropped.
hipError_t RemoteCore::reset(int device, bool alone) {
  if (alone) return renew();
  Session& s = session();
  const Moment before = s.streams().now(device);
  wire::Done done;
  if (!s.connection().call<Opcode::kDeviceReset>({device}, done)) return kLost;
  while (!tellsOfOrder(done))  // it is reset, but what it had may still use memory
    if (!s.connection().call<Opcode::kDeviceSynchronize>({device}, done)) return kLost;
  s.streams().show(before);
  s.streams().removeAll(device);
  s.spareEvents.forget(device);
  return errorFrom(done.status);
}

// A device's work can be unfinished without anybody noticing: freed device memory rests until nothing can touch it any
// more. Only where the program's own memory or functions take part in the work, or somebody asks, it shows.
void RemoteCore::fence(int device) {
  Session& s = session();
  const Moment now = s.streams().now(device);
  if (now.passed()) return;
  if (s.hostCouldTell()) {
    static_cast<void>(waitFor(device, now));
    return;
  }
  s.connection().post<Opcode::kDeviceFence>({device});
  now.promise();
}

hipError_t RemoteCore::setLimit(int device, hipLimit_t limit, std::size_t value) {
  session().connection().post<Opcode::kSetLimit>({device, limit, value});
  return hipSuccess;
}

hipError_t RemoteCore::setPeerAccess(int device, int peer, bool enabled) {
  session().connection().post<Opcode::kSetPeerAccess>({device, peer, enabled});
  return hipSuccess;
}

hipError_t RemoteCore::memoryInfo(int device, std::size_t* free, std::size_t* total) {
  Session& s = session();
  wire::MemoryInfoReply reply;
  if (!s.connection().call<Opcode::kMemoryInfo>({device}, reply)) return kLost;
  *total = reply.total;
  *free = std::min(reply.total, reply.free) + (s.placesMemory() ? s.heap(device).mappedFree() : 0);
  return errorFrom(reply.status);
}

hipError_t RemoteCore::compile(const rtc::Request& request, rtc::Result& result) {
  const std::string bytes = rtc::encode(request);
  wire::CompileSourceReply reply;
  if (!session().connection().call<Opcode::kCompileSource>({std::as_bytes(std::span(bytes))}, reply)) return kLost;
  if (reply.status != hipSuccess) return errorFrom(reply.status);
  return rtc::decode(reply.result.bytes, result) ? hipSuccess : hipErrorUnknown;
}

}  // namespace hipr::client
