// Devices: synchronize, reset, limits, peers, memory info.
#include <algorithm>

#include "worker/session.h"

namespace hipr::worker {

bool Session::hasDevice(int device) {
  if (device >= 0 && device < backend_.devices()) return true;
  refuse("device " + std::to_string(device) + " does not exist");
  return false;
}

Session::Markers Session::markUnsettled(int device) {
  Markers markers;
  const auto consider = [&](const StreamPtr& stream) {
    if (device >= 0 && stream->device != device) return;
    if (!progress_.settled(*stream)) markers.push_back(progress_.mark(stream));
  };
  for (const auto& [number, stream] : nullStreams_) consider(stream);
  for (const auto& [number, stream] : streams_) consider(stream);
  return markers;
}

void Session::answerAfter(Markers markers, wire::Opcode opcode) {
  waiters_.run([this, markers = std::move(markers), opcode, request = request_] {
    reply(outbox_, opcode, request, wire::Done{progress_.await(markers, false)});
  });
}

Session::Answer Session::onDeviceSynchronize(const wire::DeviceSynchronize& m) {
  if (!hasDevice(m.device)) return std::nullopt;
  Markers markers = markUnsettled(m.device);
  if (markers.empty()) {
    for (const auto& [number, stream] : nullStreams_) {
      if (stream->device == m.device) progress_.told(*stream);
    }
    for (const auto& [number, stream] : streams_) {
      if (stream->device == m.device) progress_.told(*stream);
    }
    backend_.use(m.device);
    return backend_.hip.hipDeviceSynchronize();  // returns at once, and knows of a device that has failed for good
  }
  answerAfter(std::move(markers), wire::Opcode::kDeviceSynchronize);
  return std::nullopt;
}

// The client has forgotten its objects of the device; their memory was released one by one. The runtime's own reset
// would also take what this session keeps for itself, so it is not used: a client that has nothing on other devices
// begins a new session instead, which also makes a failed device work again.
Session::Answer Session::onDeviceReset(const wire::DeviceReset& m) {
  if (!hasDevice(m.device)) return std::nullopt;
  progress_.forgetFailures();
  Markers markers = markUnsettled(m.device);
  const auto ofDevice = [&](const auto& object) { return object.device == m.device; };
  events_.eraseIf(ofDevice);
  functions_.eraseIf([&](const Function& function) { return ofDevice(*function.module); });
  for (const auto& module : modules_.takeIf(ofDevice)) unload(module);
  for (const auto& stream : streams_.takeIf(ofDevice)) destroy(stream);
  if (markers.empty()) return hipSuccess;
  answerAfter(std::move(markers), wire::Opcode::kDeviceReset);
  return std::nullopt;
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
  const Ledger& ledger = *options_.ledger;
  const std::uint64_t unspent = ledger.promised(m.device, options_.account) - memory_.mapped(m.device);
  reply.free = std::min<std::uint64_t>(free, ledger.available(m.device) + unspent);
  reply.total = options_.memoryLimit ? std::min<std::uint64_t>(total, options_.memoryLimit) : total;
  return reply;
}

}  // namespace hipr::worker
