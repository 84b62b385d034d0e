// Devices: synchronize, reset, limits, peers, memory info.
#include <algorithm>
#include <atomic>

#include "worker/session.h"

namespace hipr::worker {

bool Session::hasDevice(int device) {
  if (device >= 0 && device < backend_.devices()) return true;
  refuse("device " + std::to_string(device) + " does not exist");
  return false;
}

Session::Answer Session::answerWhenDone(const std::vector<StreamPtr>& streams, wire::Opcode opcode, hipError_t soFar) {
  const Meter::Share share = meter_.take(Quota::kWaits, streams.size());
  if (!share) return hipErrorOutOfMemory;  // at once: this the client takes for word of no stream
  struct Gathering {
    std::atomic<std::size_t> left;
    std::atomic<hipError_t> first;
  };
  auto all = std::make_shared<Gathering>(streams.size(), soFar);
  for (const StreamPtr& stream : streams) {
    order_.whenDone(stream,
                    [this, all, share, stream, opcode, position = stream->sent, request = request_](hipError_t error) {
                      reporter_.show(*stream, position);
                      reporter_.told(*stream, position);
                      hipError_t none = hipSuccess;
                      all->first.compare_exchange_strong(none, error);
                      if (--all->left == 0) reply(outbox_, opcode, request, wire::Done{all->first});
                    });
  }
  return std::nullopt;
}

Session::Answer Session::onDeviceSynchronize(const wire::DeviceSynchronize& m) {
  if (!hasDevice(m.device)) return std::nullopt;
  std::vector<StreamPtr> busy;
  for (const StreamPtr& stream : order_.streams(m.device)) {
    if (stream->broken != hipSuccess) continue;
    if (order_.look(*stream) != hipSuccess || reporter_.owes(*stream)) busy.push_back(stream);
  }
  if (busy.empty()) {
    for (const StreamPtr& stream : order_.streams(m.device)) reporter_.told(*stream, stream->sent);
    backend_.use(m.device);
    return backend_.hip.hipDeviceSynchronize();  // returns at once, and knows of a device that has failed for good
  }
  return answerWhenDone(busy, wire::Opcode::kDeviceSynchronize);
}

hipError_t Session::onDeviceFence(const wire::DeviceFence& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  for (const StreamPtr& stream : order_.streams(m.device)) order_.fence(stream);
  return hipSuccess;
}

// The client has forgotten its objects of the device; their memory was released one by one. The runtime's own reset
// would also take what this session keeps for itself, so it is not used: a client that has nothing on other devices
// begins a new session instead, which also makes a failed device work again.
Session::Answer Session::onDeviceReset(const wire::DeviceReset& m) {
  if (!hasDevice(m.device)) return std::nullopt;
  reporter_.forgetFailures();
  const std::vector<StreamPtr> streams = order_.streams(m.device);
  const auto ofDevice = [&](const auto& object) { return object.device == m.device; };
  events_.eraseIf(ofDevice);
  for (const auto& graph : graphs_.takeIf(ofDevice)) drop(graph);
  dropImages(m.device);
  functions_.eraseIf([&](const Function& function) { return ofDevice(*function.module); });
  for (const auto& module : modules_.takeIf(ofDevice)) unload(module);
  const Answer answer = answerWhenDone(streams, wire::Opcode::kDeviceReset);
  for (const auto& stream : streams_.takeIf(ofDevice)) order_.close(stream);
  return answer;
}

hipError_t Session::onSetLimit(const wire::SetLimit& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  backend_.use(m.device);
  return backend_.hip.hipDeviceSetLimit(static_cast<hipLimit_t>(m.limit), m.value);
}

hipError_t Session::onSetPeerAccess(const wire::SetPeerAccess& m) {
  if (!hasDevice(m.device) || !hasDevice(m.peer)) return hipErrorInvalidDevice;
  backend_.use(m.device);
  const int peer = backend_.native(m.peer);
  return m.enabled ? backend_.hip.hipDeviceEnablePeerAccess(peer, 0) : backend_.hip.hipDeviceDisablePeerAccess(peer);
}

wire::MemoryInfoReply Session::onMemoryInfo(const wire::MemoryInfo& m) {
  wire::MemoryInfoReply reply;
  if (!hasDevice(m.device)) return reply;
  backend_.use(m.device);
  std::size_t free = 0, total = 0;
  reply.status = backend_.hip.hipMemGetInfo(&free, &total);
  // The runtime knows what is used; the ledger knows what others may still use.
  Credit& credit = *options_.credit;
  const std::uint64_t promised = credit.promised(m.device);
  const std::uint64_t unspent = promised - std::min(promised, memory_.mapped(m.device));
  reply.free = std::min<std::uint64_t>(free, credit.available(m.device) + unspent);
  reply.total = options_.memoryLimit ? std::min<std::uint64_t>(total, options_.memoryLimit) : total;
  return reply;
}

}  // namespace hipr::worker
