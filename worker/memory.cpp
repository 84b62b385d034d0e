// Device memory by address, memory credits, and host memory that kernels reach.
#include "worker/session.h"

namespace hipr::worker {

bool Session::withinCredit(int device, std::uint64_t size) {
  const std::uint64_t promised = options_.credit->promised(device), used = memory_.mapped(device);
  return used <= promised && size <= promised - used;
}

hipError_t Session::onMapMemory(const wire::MapMemory& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  if (!withinCredit(m.device, m.size)) return hipErrorOutOfMemory;
  return memory_.map(m.device, m.address, m.size);
}

hipError_t Session::onUnmapMemory(const wire::UnmapMemory& m) {
  auto leaving = memory_.release(m.address);
  if (!leaving) return hipErrorInvalidValue;  // mapping it may have failed
  ++departures_;
  order_.afterEverything([leaving] { leaving->free(); });
  return hipSuccess;
}

wire::MemoryCreditReply Session::onMemoryCredit(const wire::MemoryCredit& m) {
  wire::MemoryCreditReply reply;
  if (hasDevice(m.device)) reply.granted = options_.credit->grant(m.device, m.bytes);
  return reply;
}

wire::AllocateMemoryReply Session::onAllocateMemory(const wire::AllocateMemory& m) {
  wire::AllocateMemoryReply reply;
  if (!hasDevice(m.device)) return reply;
  if (!withinCredit(m.device, m.size)) {
    const std::uint64_t unspent = options_.credit->promised(m.device) - memory_.mapped(m.device);
    options_.credit->grant(m.device, m.size - unspent);
  }
  reply.status =
      withinCredit(m.device, m.size) ? memory_.allocate(m.device, m.size, reply.address) : hipErrorOutOfMemory;
  return reply;
}

hipError_t Session::onFreeMemory(const wire::FreeMemory& m) {
  return onUnmapMemory(m);
}

hipError_t Session::onExposeHost(const wire::ExposeHost& m) {
  return hostMemory_.expose(m);
}

hipError_t Session::onConcealHost(const wire::ConcealHost& m) {
  auto leaving = hostMemory_.conceal(m.address);
  if (!leaving) return hipErrorInvalidValue;  // exposing it may have failed
  ++departures_;
  order_.afterEverything([leaving] { leaving->free(); });
  return hipSuccess;
}

hipError_t Session::onHostBytes(const wire::HostBytes& m) {
  return hostMemory_.apply(m) ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace hipr::worker
