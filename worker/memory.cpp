// Device memory by address, memory credits, and host memory that kernels reach.
#include <algorithm>

#include "worker/session.h"

namespace hipr::worker {

namespace {

constexpr std::chrono::milliseconds kUnusedFor(2000);  // then it is the device's again

}  // namespace

bool Session::obtainCredit(int device, std::uint64_t size) {
  if (extendCredit(device, size)) return true;
  // The client may know that work is over whose memory is being given back only now.
  order_.finishRetired();
  if (extendCredit(device, size)) return true;
  SessionCounters::add(outbox_.counters().refusals[static_cast<std::size_t>(Quota::kDeviceBytes)]);
  return false;
}

bool Session::extendCredit(int device, std::uint64_t size) {
  const std::uint64_t promised = options_.credit->promised(device), used = memory_.mapped(device);
  if (size > UINT64_MAX - used) return false;
  if (used + size <= promised) return true;
  const std::uint64_t lacking = used + size - promised;
  return options_.credit->grant(device, lacking, lacking) >= lacking;
}

Crew::Delay Session::takeBackCredit() {
  const auto now = std::chrono::steady_clock::now();
  Crew::Delay next = Crew::kNever;
  for (int device = 0; device < backend_.devices(); ++device) {
    const std::uint64_t promised = options_.credit->promised(device), used = memory_.mapped(device);
    auto& since = spareSince_[static_cast<std::size_t>(device)];
    if (promised <= used + Ledger::kSpare) {
      since = {};
      continue;
    }
    if (since == decltype(now){}) since = now;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(since + kUnusedFor - now);
    if (left.count() > 0) {
      const auto delay = static_cast<Crew::Delay>(left.count());
      next = next == Crew::kNever ? delay : std::min(next, delay);
      continue;
    }
    const std::uint64_t spare = promised - used - Ledger::kSpare;
    options_.credit->giveBack(device, spare);
    push(outbox_, wire::Opcode::kCreditTaken, wire::CreditTaken{device, spare});
    since = {};
  }
  return next;
}

// The client keeps within its credit; but some may have been taken back while this was on its way, and memory that it
// has given up may not be gone yet.
hipError_t Session::onMapMemory(const wire::MapMemory& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  if (!obtainCredit(m.device, m.size)) return hipErrorOutOfMemory;
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
  if (hasDevice(m.device)) reply.granted = options_.credit->grant(m.device, m.bytes, m.most);
  return reply;
}

wire::AllocateMemoryReply Session::onAllocateMemory(const wire::AllocateMemory& m) {
  wire::AllocateMemoryReply reply;
  if (!hasDevice(m.device)) return reply;
  reply.status = obtainCredit(m.device, DeviceMemory::costOf(m.size))
                     ? memory_.allocate(m.device, m.size, reply.address)
                     : hipErrorOutOfMemory;
  return reply;
}

hipError_t Session::onFreeMemory(const wire::FreeMemory& m) {
  return onUnmapMemory(m);
}

hipError_t Session::onExposeHost(const wire::ExposeHost& m) {
  return hostMemory_.expose(m);
}

hipError_t Session::onShareHost(const wire::ShareHost& m) {
  platform::SharedMemory memory;
  if (Status status = channel_.takeMemory(HostMemory::sharedSize(m.size), memory); !status.ok()) {
    refuse("ShareHost: " + status.message());
    return hipSuccess;
  }
  return hostMemory_.share(m, memory);
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
