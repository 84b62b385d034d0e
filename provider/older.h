// The two older generations of the interface, unprefixed: 2.0.0 to 2.2.0 (`VirtualGPUInit`) and 2.2.1 to 2.3.3
// (`VGPUInit`). They share names but neither all layouts nor all argument lists; which init ran tells who is calling.
// Metrics, processes and mounts never changed.
#pragma once

#include "provider/accelerator.h"

namespace hipr::provider {

enum class Generation { kA, kB };

namespace generation_a {
struct DeviceBasicInfo {
  char uuid[64], vendor[32], model[128], driverVersion[64], firmwareVersion[64];
  std::int32_t index, numaNode;
  std::uint64_t totalMemoryBytes, totalComputeUnits;
  double maxTflops;
  std::uint32_t pcieGen, pcieWidth;
};
struct ExtendedDeviceInfo {
  DeviceBasicInfo basic;
  DeviceProperties props;
  VirtualizationCapabilities virtualizationCapabilities;
};
struct TopologyDevice {
  char uuid[64];
  std::int32_t numaNode;
};
struct Topology {
  TopologyDevice devices[64];
  std::size_t deviceCount;
  char topologyType[32];
};
struct EnvVar {
  char key[64], value[256];
};
struct PartitionAssignment {
  char templateId[64], deviceUUID[64], partitionUUID[64];
  EnvVar envVars[16];
  std::size_t envVarCount;
};
struct ProcessArray {
  pid_t processIds[1024];
  std::size_t processCount;
  char deviceUUID[64];
};

static_assert(sizeof(DeviceBasicInfo) == 392);
HIPR_AT(DeviceBasicInfo, firmwareVersion, 288);
HIPR_AT(DeviceBasicInfo, index, 352);
HIPR_AT(DeviceBasicInfo, totalMemoryBytes, 360);
HIPR_AT(DeviceBasicInfo, totalComputeUnits, 368);
HIPR_AT(DeviceBasicInfo, maxTflops, 376);
HIPR_AT(DeviceBasicInfo, pcieGen, 384);
static_assert(sizeof(ExtendedDeviceInfo) == 20896);
HIPR_AT(ExtendedDeviceInfo, props, 392);
HIPR_AT(ExtendedDeviceInfo, virtualizationCapabilities, 20880);
static_assert(sizeof(Topology) == 4392);
HIPR_AT(Topology, deviceCount, 4352);
HIPR_AT(Topology, topologyType, 4360);
static_assert(sizeof(PartitionAssignment) == 5320);
HIPR_AT(PartitionAssignment, envVars, 192);
static_assert(sizeof(ProcessArray) == 4168);
HIPR_AT(ProcessArray, deviceUUID, 4104);
}  // namespace generation_a

namespace generation_b {
struct DeviceBasicInfo {
  char uuid[64], vendor[32], model[128], driverVersion[80], firmwareVersion[64];
  std::int32_t index, numaNode;
  std::uint64_t totalMemoryBytes, totalComputeUnits;
  double maxTflops;
  std::uint32_t pcieGen, pcieWidth;
};
struct ExtendedDeviceInfo {
  DeviceBasicInfo basic;
  DeviceProperties props;
  VirtualizationCapabilities virtualizationCapabilities;
};
static_assert(sizeof(ExtendedDeviceInfo) == 20912);
}  // namespace generation_b

}  // namespace hipr::provider
