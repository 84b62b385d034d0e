// Peer access: one device using the memory of another.
#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

hipError_t setPeerAccess(Device& device, Device& peer, bool enabled) {
  if (&device == &peer || !peerInfo(device, peer).canAccess) return hipErrorInvalidDevice;
  Core* core;
  HIPR_TRY(device.reach(core));
  {
    std::lock_guard lock(device.mutex);
    if (enabled && !device.peers.insert(peer.ordinal).second) return hipErrorPeerAccessAlreadyEnabled;
    if (!enabled && device.peers.erase(peer.ordinal) == 0) return hipErrorPeerAccessNotEnabled;
    if (device.poolPeers.contains(peer.ordinal)) return hipSuccess;  // the core knows, or must not forget
  }
  return core->setPeerAccess(device.index, peer.index, enabled);
}

hipError_t findPair(int first, int second, Process*& p, Device*& a, Device*& b) {
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, first, a));
  return findDevice(*p, second, b);
}

}  // namespace

hipError_t hipDeviceCanAccessPeer(int* canAccessPeer, int deviceId, int peerDeviceId) {
  Process* p;
  Device *device, *peer;
  HIPR_TRY(process(p));
  if (canAccessPeer == nullptr) return hipErrorInvalidValue;
  *canAccessPeer = 0;
  if (deviceId == peerDeviceId) return hipSuccess;  // whether it exists or not
  HIPR_TRY(findPair(deviceId, peerDeviceId, p, device, peer));
  *canAccessPeer = peerInfo(*device, *peer).canAccess;
  return hipSuccess;
}

hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags) {
  Process* p;
  Device *device, *peer;
  HIPR_TRY(process(p));
  if (flags != 0) return hipErrorInvalidValue;
  HIPR_TRY(findPair(threadState().device, peerDeviceId, p, device, peer));
  return setPeerAccess(*device, *peer, true);
}

hipError_t hipDeviceDisablePeerAccess(int peerDeviceId) {
  Process* p;
  Device *device, *peer;
  HIPR_TRY(findPair(threadState().device, peerDeviceId, p, device, peer));
  return setPeerAccess(*device, *peer, false);
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attr, int srcDevice, int dstDevice) {
  Process* p;
  Device *from, *to;
  HIPR_TRY(process(p));
  if (value == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findPair(srcDevice, dstDevice, p, from, to));
  if (from == to) return hipErrorInvalidDevice;
  if (attr < hipDevP2PAttrPerformanceRank || attr > hipDevP2PAttrHipArrayAccessSupported) return hipErrorInvalidValue;
  *value = peerInfo(*from, *to).p2p[attr];
  return hipSuccess;
}

hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t* linktype, uint32_t* hopcount) {
  Process* p;
  Device *from, *to;
  HIPR_TRY(process(p));
  if (linktype == nullptr || hopcount == nullptr || device1 == device2 || device1 < 0 || device2 < 0)
    return hipErrorInvalidValue;
  HIPR_TRY(findPair(device1, device2, p, from, to));
  const PeerInfo& peer = peerInfo(*from, *to);
  *linktype = peer.linkType;
  *hopcount = peer.hops;
  return hipSuccess;
}

}  // namespace hipr::api
