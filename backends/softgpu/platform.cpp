// Numbers follow the MI210 (gfx90a) and MI300X (gfx942). What depends on being software (memory size, names, PCI
// addresses, what the host can reach) says so honestly.
#include "backends/softgpu/platform.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <fstream>
#include <string>

#include "backends/softgpu/attributes.h"
#include "backends/softgpu/isa/clock.h"

namespace hipr::softgpu {
namespace {

struct Model {
  const char* arch;
  const char* target;
  int computeUnits;
  int memoryClockKhz, memoryBusBits;
  int l2Bytes;
  std::size_t memoryBytes;
  int minor;
  int xccs;
  int chipId;
  bool images;
};
constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr Model kMi210{"gfx90a", "gfx90a:sramecc+:xnack-", 104, 1600000, 4096, 8 << 20, 64 * kGiB, /*minor=*/0, 1,
                       0x740f,   /*images=*/true};
constexpr Model kMi300x{"gfx942", "gfx942:sramecc+:xnack-", 304, 1300000, 8192, 4 << 20, 192 * kGiB, /*minor=*/4, 8,
                        0x74a1,   /*images=*/false};

const Model& modelOf(Gpu gpu) {
  return gpu == Gpu::kGfx942 ? kMi300x : kMi210;
}

constexpr int kPciDomain = 0xffff;  // no machine has it, so these never look like a card
constexpr int kFirstPciBus = 0xf0;

void set(int (&to)[3], int x, int y, int z) {
  to[0] = x, to[1] = y, to[2] = z;
}

void describeIdentity(hipDeviceProp_tR0600& p, const Model& model, int index) {
  std::snprintf(p.name, sizeof p.name, "Software GPU (%s)", model.arch);
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", model.target);
  const std::string id = deviceId(index);
  std::memcpy(p.uuid.bytes, id.data(), std::min(id.size(), sizeof p.uuid.bytes));
  p.major = 9;
  p.minor = model.minor;
  p.pciDomainID = kPciDomain;
  p.pciBusID = (kFirstPciBus + index) & 0xff;
  p.pciDeviceID = (kFirstPciBus + index) >> 8;
  p.computeMode = hipComputeModeDefault;
}

void describeProcessor(hipDeviceProp_tR0600& p, const Model& model, int clockKhz) {
  p.warpSize = 64;
  p.maxThreadsPerBlock = 1024;
  set(p.maxThreadsDim, 1024, 1024, 1024);
  set(p.maxGridSize, INT_MAX, 65536, 65536);
  p.clockRate = clockKhz;
  p.multiProcessorCount = model.computeUnits;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = p.maxThreadsPerMultiProcessor / p.warpSize;
  p.regsPerBlock = 65536;
  p.regsPerMultiprocessor = 65536;
  p.sharedMemPerBlock = 65536;
  p.sharedMemPerBlockOptin = 65536;
  p.sharedMemPerMultiprocessor = 65536;
  p.maxSharedMemoryPerMultiProcessor = 65536;
  p.clockInstructionRate = 100000;  // the constant clock kernels read, kHz
  p.concurrentKernels = 1;
  p.asyncEngineCount = 1;
  p.deviceOverlap = 1;
  p.computePreemptionSupported = 0;
  p.cooperativeLaunch = 1;
  p.streamPrioritiesSupported = 1;
  p.unifiedFunctionPointers = 1;
  p.singleToDoublePrecisionPerfRatio = 1;
  hipDeviceArch_t& a = p.arch;
  a.hasGlobalInt32Atomics = a.hasGlobalFloatAtomicExch = a.hasSharedInt32Atomics = a.hasSharedFloatAtomicExch = 1;
  a.hasFloatAtomicAdd = a.hasGlobalInt64Atomics = a.hasSharedInt64Atomics = a.hasDoubles = 1;
  a.hasWarpVote = a.hasWarpBallot = a.hasWarpShuffle = a.hasThreadFenceSystem = a.has3dGrid = 1;
}

void describeMemory(hipDeviceProp_tR0600& p, const Model& model, std::size_t memoryBytes, Discrete discrete) {
  p.totalGlobalMem = memoryBytes;
  p.totalConstMem = INT_MAX;
  p.memPitch = INT_MAX;
  p.memoryClockRate = model.memoryClockKhz;
  p.memoryBusWidth = model.memoryBusBits;
  p.l2CacheSize = model.l2Bytes;
  p.persistingL2CacheMaxSize = model.l2Bytes;
  p.ECCEnabled = 1;
  p.textureAlignment = 256;
  p.texturePitchAlignment = 256;
  p.surfaceAlignment = 256;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.canMapHostMemory = 1;
  p.unifiedAddressing = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.directManagedMemAccessFromHost = !discrete.on;
  p.hostNativeAtomicSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.hostRegisterSupported = 1;
  p.isLargeBar = !discrete.on;
  p.memoryPoolsSupported = 1;
  p.memoryPoolSupportedHandleTypes = discrete.placesMemory ? hipMemHandleTypePosixFileDescriptor : hipMemHandleTypeNone;
  p.ipcEventSupported = discrete.placesMemory;
}

// The largest that gfx9's descriptors name, as ROCm has them. gfx942 has no instructions for images.
void describeImages(hipDeviceProp_tR0600& p) {
  constexpr int kMost = 16384, kLayers = 8192;
  p.maxTexture1D = p.maxSurface1D = kMost;
  p.maxTexture1DLinear = p.maxTexture1DMipmap = INT_MAX;
  set(p.maxTexture3D, kMost, kMost, kLayers);
  set(p.maxSurface3D, kMost, kMost, kLayers);
  set(p.maxTexture2DLayered, kMost, kMost, kLayers);
  set(p.maxSurface2DLayered, kMost, kMost, kLayers);
  p.maxTexture2D[0] = p.maxTexture2D[1] = p.maxSurface2D[0] = p.maxSurface2D[1] = kMost;
  p.maxTexture1DLayered[0] = p.maxSurface1DLayered[0] = kMost;
  p.maxTexture1DLayered[1] = p.maxSurface1DLayered[1] = kLayers;
}

DeviceInfo describeDevice(Gpu gpu, std::size_t memoryBytes, Discrete discrete, int index) {
  const Model& model = modelOf(gpu);
  DeviceInfo info;
  describeIdentity(info.props, model, index);
  describeProcessor(info.props, model, shaderClockKhz(gpu));
  describeMemory(info.props, model, std::min(memoryBytes, model.memoryBytes), discrete);
  if (model.images) describeImages(info.props);
  fillAttributes(info.props, info.attributes);
  info.attributes.set(hipDeviceAttributeImageSupport, model.images);
  info.attributes.set(hipDeviceAttributeVirtualMemoryManagementSupported, discrete.placesMemory);
  info.attributes.set(hipDeviceAttributeNumberOfXccs, model.xccs);
  info.attributes.set(hipDeviceAttributePciChipId, model.chipId);
  info.limits = {{hipLimitStackSize, kDefaultStackBytes},
                 {hipLimitPrintfFifoSize, kDefaultPrintfBytes},
                 {hipLimitMallocHeapSize, kDefaultHeapBytes}};
  if (model.minor >= 4) {  // these let a program say how much scratch memory to keep; ours comes and goes by itself
    info.limits.push_back({hipExtLimitScratchMin, 0});
    info.limits.push_back({hipExtLimitScratchMax, 16 * kGiB});
    info.limits.push_back({hipExtLimitScratchCurrent, 4 * kGiB});
  }
  info.leastStreamPriority = 1;
  info.greatestStreamPriority = -1;
  return info;
}

// FNV-1a of what tells this machine from others.
std::uint64_t machineHash() {
  std::string identity;
  if (!std::getline(std::ifstream("/etc/machine-id"), identity) || identity.empty()) {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    identity = name;
  }
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : identity) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string deviceId(int index) {
  static const std::uint64_t machine = machineHash() >> 16;
  char text[32];
  std::snprintf(text, sizeof text, "%012llx%04x", static_cast<unsigned long long>(machine), index & 0xffff);
  return text;
}

Platform describe(std::span<const Gpu> gpus, std::size_t memoryBytes, Discrete discrete) {
  Platform platform;
  platform.driverVersion = platform.runtimeVersion = 70200000;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    platform.devices.push_back(describeDevice(gpus[i], memoryBytes, discrete, static_cast<int>(i)));
  for (std::size_t from = 0; from < gpus.size(); ++from) {
    for (std::size_t to = 0; to < gpus.size(); ++to) {
      PeerInfo peer;
      if (from != to) {
        peer.canAccess = true;
        peer.p2p[hipDevP2PAttrAccessSupported] = peer.p2p[hipDevP2PAttrNativeAtomicSupported] = 1;
        peer.linkType = 4;  // the number HSA gives to XGMI: one hop, atomics
        peer.hops = 1;
      }
      platform.peers.push_back(peer);
    }
  }
  return platform;
}

}  // namespace hipr::softgpu
