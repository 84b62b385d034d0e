#include "worker/platform.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "types/shared_properties.h"

namespace hipr::worker {
namespace {

hipError_t readProperties(const HipTable& hip, int device, hipDeviceProp_tR0600& props) {
  if (hip.hipGetDevicePropertiesR0600) return hip.hipGetDevicePropertiesR0600(&props, device);
  hipDeviceProp_tR0000 old{};
  const hipError_t error = hip.hipGetDeviceProperties(&old, device);
  if (error == hipSuccess) {
    props = convertProperties(old);
    hipUUID uuid{};
    if (hip.hipDeviceGetUuid(&uuid, device) == hipSuccess) props.uuid = uuid;
  }
  return error;
}

// Numbers that HIP 5 used for text are of no use elsewhere.
bool carried(int attribute) {
  return attribute != 64 && attribute != 86 && attribute != 10001 && attribute != 10003 && attribute != 10004;
}

// Where registers lie in this process is nobody else's business; a client is told that there are none.
bool isAddress(int attribute) {
  return attribute == hipDeviceAttributeHdpMemFlushCntl || attribute == hipDeviceAttributeHdpRegFlushCntl;
}

void readPciFunction(const HipTable& hip, int device, AttributeTable& table) {
  char id[64] = "";
  unsigned function = 0;
  if (hip.hipDeviceGetPCIBusId && hip.hipDeviceGetPCIBusId(id, sizeof id, device) == hipSuccess &&
      std::sscanf(id, "%*x:%*x:%*x.%x", &function) == 1)
    table.set(kPciFunction, static_cast<int>(function));
}

void readAttributes(const HipTable& hip, int device, AttributeTable& table) {
  const auto read = [&](int attribute) {
    int value = 0;
    if (isAddress(attribute)) table.set(attribute, 0);
    if (isAddress(attribute) || !carried(attribute)) return;
    if (hip.hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(attribute), device) == hipSuccess) {
      table.set(attribute, value);
    }
  };
  for (int i = 0; i < AttributeTable::kCommon; ++i) read(i);
  for (int i = 0; i < AttributeTable::kAmd; ++i) read(AttributeTable::kAmdBase + i);
}

void readLimits(const HipTable& hip, DeviceInfo& info) {
  for (const hipLimit_t limit : {hipLimitStackSize, hipLimitPrintfFifoSize, hipLimitMallocHeapSize,
                                 hipExtLimitScratchMin, hipExtLimitScratchMax, hipExtLimitScratchCurrent}) {
    std::size_t value = 0;
    if (hip.hipDeviceGetLimit(&value, limit) == hipSuccess) info.limits.push_back({limit, value});
  }
}

PeerInfo readPeer(const HipTable& hip, int from, int to) {
  PeerInfo peer;
  if (from == to) return peer;
  int can = 0;
  peer.canAccess = hip.hipDeviceCanAccessPeer(&can, from, to) == hipSuccess && can;
  for (std::size_t i = 0; i < peer.p2p.size(); ++i) {
    hip.hipDeviceGetP2PAttribute(&peer.p2p[i], static_cast<hipDeviceP2PAttr>(i), from, to);
  }
  hip.hipExtGetLinkTypeAndHopCount(from, to, &peer.linkType, &peer.hops);
  return peer;
}

}  // namespace

hipDeviceProp_tR0600 convertProperties(const hipDeviceProp_tR0000& old) {
  hipDeviceProp_tR0600 p{};
  copySharedProperties(old, p);
  // Fields HIP 6 added whose value follows from those above.
  p.sharedMemPerMultiprocessor = old.maxSharedMemoryPerMultiProcessor;
  p.regsPerMultiprocessor = old.regsPerBlock;
  p.hostRegisterSupported = old.canMapHostMemory;
  p.unifiedAddressing = 1;
  return p;
}

Survey survey(const HipTable& hip, std::vector<int>& devices) {
  Survey out;
  int count = 0;
  out.status = hip.hipInit(0);
  if (out.status == hipSuccess) out.status = hip.hipGetDeviceCount(&count);
  if (out.status == hipSuccess && count == 0) out.status = hipErrorNoDevice;
  hip.hipDriverGetVersion(&out.platform.driverVersion);
  hip.hipRuntimeGetVersion(&out.platform.runtimeVersion);
  if (out.status != hipSuccess) {
    devices.clear();
    return out;
  }
  if (devices.empty()) {
    devices.resize(static_cast<std::size_t>(count));
    std::iota(devices.begin(), devices.end(), 0);
  }
  for (const int device : devices) {
    if (out.status != hipSuccess) break;
    DeviceInfo& info = out.platform.devices.emplace_back();
    out.status = hip.hipSetDevice(device);
    if (out.status == hipSuccess) out.status = readProperties(hip, device, info.props);
    readAttributes(hip, device, info.attributes);
    readPciFunction(hip, device, info.attributes);
    readLimits(hip, info);
    hip.hipDeviceGetStreamPriorityRange(&info.leastStreamPriority, &info.greatestStreamPriority);
    std::size_t free = 0, total = 0;
    if (hip.hipMemGetInfo(&free, &total) != hipSuccess) free = info.props.totalGlobalMem;
    out.freeMemory.push_back(free);
  }
  for (const int from : devices) {
    for (const int to : devices) out.platform.peers.push_back(readPeer(hip, from, to));
  }
  return out;
}

Platform seenBy(const Platform& all, std::span<const std::int32_t> devices, std::uint64_t memory) {
  Platform out{all.driverVersion, all.runtimeVersion, {}, {}};
  for (const int device : devices) {
    hipDeviceProp_tR0600& props = out.devices.emplace_back(all.devices[static_cast<std::size_t>(device)]).props;
    if (memory) props.totalGlobalMem = std::min<std::size_t>(props.totalGlobalMem, memory);
    for (const int other : devices) out.peers.push_back(all.peer(device, other));
  }
  return out;
}

}  // namespace hipr::worker
