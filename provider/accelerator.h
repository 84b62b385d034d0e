// The interface between TensorFusion's hypervisor and a vendor's library, as the hypervisor of today has it (2.4.4 and
// later). All of it is memory layout: the hypervisor is Go and knows these offsets by heart, so every one is asserted.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace hipr::provider {

enum AccelResult : int {
  kSuccess = 0,
  kInvalidParam = 1,
  kNotFound = 2,
  kNotSupported = 3,
  kResourceExhausted = 4,
  kOperationFailed = 5,
  kInternal = 6,
};

// From near to far. The hypervisor makes four tiers of them: internal; switch, bridge and NUMA node; system; unknown.
enum TopoLevel : int {
  kTopoInternal = 0,
  kTopoSingleSwitch = 1,
  kTopoMultiSwitch = 2,
  kTopoHostBridge = 3,
  kTopoNumaNode = 4,
  kTopoSystem = 5,
  kTopoSelf = 6,
  kTopoUnknown = 7,
};

inline constexpr std::size_t kMaxProperties = 64, kMaxTopologyDevices = 64, kMaxExtraMetrics = 64;

struct VirtualizationCapabilities {
  bool supportsPartitioning, supportsSoftIsolation, supportsHardIsolation, supportsSnapshot, supportsMetrics,
      supportsRemoting;
  std::uint32_t maxPartitions, maxWorkersPerDevice;
};

struct DeviceBasicInfo {
  char uuid[64], vendor[32], model[128], driverVersion[80], firmwareVersion[64], deviceNode[64];
  std::int32_t index, numaNode;
  std::uint64_t totalMemoryBytes, totalComputeUnits;
  double maxTflops;
  std::uint32_t pcieGen, pcieWidth;
};

struct DeviceProperty {
  char key[64], value[256];
};
struct DeviceProperties {
  DeviceProperty properties[kMaxProperties];
  std::size_t count;
};

struct ExtendedDeviceInfo {
  DeviceBasicInfo basic;
  DeviceProperties props;
  VirtualizationCapabilities virtualizationCapabilities;
};

struct ProcessInformation {
  char processId[32], deviceUUID[64];
  double computeUtilizationPercent;
  std::uint64_t activeSMs, totalSMs, memoryUsedBytes, memoryReservedBytes;
  double memoryUtilizationPercent;
};

struct ExtraMetric {
  char key[64];
  double value;
};
struct DeviceMetrics {
  char deviceUUID[64];
  double powerUsageWatts, temperatureCelsius;
  std::uint64_t pcieRxBytes, pcieTxBytes;
  std::uint32_t utilizationPercent;
  std::uint64_t memoryUsedBytes;
  ExtraMetric extraMetrics[kMaxExtraMetrics];
  std::size_t extraMetricsCount;
};

struct MountPath {
  char hostPath[512], guestPath[512];
};

struct PartitionResult {
  int type;
  char deviceUUID[64], envVars[16][256], deviceNodes[16][1026];
};

struct SnapshotContext {
  pid_t* processIds;
  std::size_t processCount;
  const char* deviceUUID;
};

using LogCallback = void (*)(const char* level, const char* message);

#define HIPR_AT(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "::" #field)
static_assert(sizeof(VirtualizationCapabilities) == 16);
HIPR_AT(VirtualizationCapabilities, supportsRemoting, 5);
HIPR_AT(VirtualizationCapabilities, maxPartitions, 8);
HIPR_AT(VirtualizationCapabilities, maxWorkersPerDevice, 12);
static_assert(sizeof(DeviceBasicInfo) == 472);
HIPR_AT(DeviceBasicInfo, vendor, 64);
HIPR_AT(DeviceBasicInfo, model, 96);
HIPR_AT(DeviceBasicInfo, driverVersion, 224);
HIPR_AT(DeviceBasicInfo, firmwareVersion, 304);
HIPR_AT(DeviceBasicInfo, deviceNode, 368);
HIPR_AT(DeviceBasicInfo, index, 432);
HIPR_AT(DeviceBasicInfo, numaNode, 436);
HIPR_AT(DeviceBasicInfo, totalMemoryBytes, 440);
HIPR_AT(DeviceBasicInfo, totalComputeUnits, 448);
HIPR_AT(DeviceBasicInfo, maxTflops, 456);
HIPR_AT(DeviceBasicInfo, pcieGen, 464);
HIPR_AT(DeviceBasicInfo, pcieWidth, 468);
static_assert(sizeof(DeviceProperty) == 320 && sizeof(DeviceProperties) == 20488);
HIPR_AT(DeviceProperties, count, 20480);
static_assert(sizeof(ExtendedDeviceInfo) == 20976);
HIPR_AT(ExtendedDeviceInfo, props, 472);
HIPR_AT(ExtendedDeviceInfo, virtualizationCapabilities, 20960);
static_assert(sizeof(ProcessInformation) == 144);
HIPR_AT(ProcessInformation, deviceUUID, 32);
HIPR_AT(ProcessInformation, computeUtilizationPercent, 96);
HIPR_AT(ProcessInformation, activeSMs, 104);
HIPR_AT(ProcessInformation, totalSMs, 112);
HIPR_AT(ProcessInformation, memoryUsedBytes, 120);
HIPR_AT(ProcessInformation, memoryReservedBytes, 128);
HIPR_AT(ProcessInformation, memoryUtilizationPercent, 136);
static_assert(sizeof(ExtraMetric) == 72 && sizeof(DeviceMetrics) == 4728);
HIPR_AT(DeviceMetrics, powerUsageWatts, 64);
HIPR_AT(DeviceMetrics, temperatureCelsius, 72);
HIPR_AT(DeviceMetrics, pcieRxBytes, 80);
HIPR_AT(DeviceMetrics, pcieTxBytes, 88);
HIPR_AT(DeviceMetrics, utilizationPercent, 96);
HIPR_AT(DeviceMetrics, memoryUsedBytes, 104);
HIPR_AT(DeviceMetrics, extraMetrics, 112);
HIPR_AT(DeviceMetrics, extraMetricsCount, 4720);
static_assert(sizeof(MountPath) == 1024);
HIPR_AT(MountPath, guestPath, 512);
static_assert(sizeof(PartitionResult) == 20580);
HIPR_AT(PartitionResult, deviceUUID, 4);
HIPR_AT(PartitionResult, envVars, 68);
HIPR_AT(PartitionResult, deviceNodes, 4164);
static_assert(sizeof(SnapshotContext) == 24);
HIPR_AT(SnapshotContext, processCount, 8);
HIPR_AT(SnapshotContext, deviceUUID, 16);

}  // namespace hipr::provider
