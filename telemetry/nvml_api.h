// The part of NVIDIA's management library (libnvidia-ml.so.1) that we call, by dlopen. Its C interface is stable: new
// layouts get new function names, so these declarations fit every driver that has the function.
#pragma once

#include "base/status.h"

namespace hipr::telemetry::nvml {

using Device = struct DeviceObject*;
using Result = int;
inline constexpr Result kSuccess = 0, kInsufficientSize = 7;
inline constexpr unsigned long long kUnknownBytes = ~0ull;

struct Memory {
  unsigned long long total, free, used;
};
struct Memory2 {  // where `used` leaves out what the driver keeps for itself
  unsigned version = sizeof(Memory2) | 2u << 24;
  unsigned long long total = 0, reserved = 0, free = 0, used = 0;
};
struct Utilization {
  unsigned gpu, memory;
};
struct PciInfo {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId, computeInstanceId;
};

enum : int {
  kTemperatureGpu = 0,
  kThresholdShutdown = 0,
  kThresholdSlowdown = 1,
  kClockSm = 1,
  kClockMemory = 2,
  kErrorCorrected = 0,
  kErrorUncorrected = 1,
  kCounterVolatile = 0,
  kP2pNvlink = 2,
  kP2pRead = 0,
  kStatusOk = 0,
};
// Reasons for lower clocks that are a limit and not a choice: the power cap, heat (software), hardware slowdown, heat
// (hardware), power brake.
inline constexpr unsigned long long kThrottleReasons = 0x04 | 0x20 | 0x08 | 0x40 | 0x80;

// name, exported symbol, parameters. A missing one answers "not available".
#define HIPR_NVML_FUNCTIONS(F)                                                                    \
  F(init, nvmlInit_v2, ())                                                                        \
  F(shutdown, nvmlShutdown, ())                                                                   \
  F(deviceCount, nvmlDeviceGetCount_v2, (unsigned*))                                              \
  F(deviceByIndex, nvmlDeviceGetHandleByIndex_v2, (unsigned, Device*))                            \
  F(driverVersion, nvmlSystemGetDriverVersion, (char*, unsigned))                                 \
  F(libraryVersion, nvmlSystemGetNVMLVersion, (char*, unsigned))                                  \
  F(processName, nvmlSystemGetProcessName, (unsigned, char*, unsigned))                           \
  F(name, nvmlDeviceGetName, (Device, char*, unsigned))                                           \
  F(uuid, nvmlDeviceGetUUID, (Device, char*, unsigned))                                           \
  F(serial, nvmlDeviceGetSerial, (Device, char*, unsigned))                                       \
  F(vbios, nvmlDeviceGetVbiosVersion, (Device, char*, unsigned))                                  \
  F(boardPart, nvmlDeviceGetBoardPartNumber, (Device, char*, unsigned))                           \
  F(pciInfo, nvmlDeviceGetPciInfo_v3, (Device, PciInfo*))                                         \
  F(computeCapability, nvmlDeviceGetCudaComputeCapability, (Device, int*, int*))                  \
  F(memory, nvmlDeviceGetMemoryInfo, (Device, Memory*))                                           \
  F(memory2, nvmlDeviceGetMemoryInfo_v2, (Device, Memory2*))                                      \
  F(busWidth, nvmlDeviceGetMemoryBusWidth, (Device, unsigned*))                                   \
  F(utilization, nvmlDeviceGetUtilizationRates, (Device, Utilization*))                           \
  F(powerUsage, nvmlDeviceGetPowerUsage, (Device, unsigned*))                                     \
  F(powerLimit, nvmlDeviceGetEnforcedPowerLimit, (Device, unsigned*))                             \
  F(powerLimits, nvmlDeviceGetPowerManagementLimitConstraints, (Device, unsigned*, unsigned*))    \
  F(energy, nvmlDeviceGetTotalEnergyConsumption, (Device, unsigned long long*))                   \
  F(temperature, nvmlDeviceGetTemperature, (Device, int, unsigned*))                              \
  F(temperatureThreshold, nvmlDeviceGetTemperatureThreshold, (Device, int, unsigned*))            \
  F(clock, nvmlDeviceGetClockInfo, (Device, int, unsigned*))                                      \
  F(maxClock, nvmlDeviceGetMaxClockInfo, (Device, int, unsigned*))                                \
  F(fanSpeed, nvmlDeviceGetFanSpeed, (Device, unsigned*))                                         \
  F(pcieGeneration, nvmlDeviceGetCurrPcieLinkGeneration, (Device, unsigned*))                     \
  F(pcieWidth, nvmlDeviceGetCurrPcieLinkWidth, (Device, unsigned*))                               \
  F(maxPcieGeneration, nvmlDeviceGetMaxPcieLinkGeneration, (Device, unsigned*))                   \
  F(maxPcieWidth, nvmlDeviceGetMaxPcieLinkWidth, (Device, unsigned*))                             \
  F(throttleReasons, nvmlDeviceGetCurrentClocksThrottleReasons, (Device, unsigned long long*))    \
  F(eccErrors, nvmlDeviceGetTotalEccErrors, (Device, int, int, unsigned long long*))              \
  F(numaNode, nvmlDeviceGetNumaNodeId, (Device, unsigned*))                                       \
  F(p2pStatus, nvmlDeviceGetP2PStatus, (Device, Device, int, int*))                               \
  F(computeProcesses, nvmlDeviceGetComputeRunningProcesses_v3, (Device, unsigned*, ProcessInfo*)) \
  F(graphicsProcesses, nvmlDeviceGetGraphicsRunningProcesses_v3, (Device, unsigned*, ProcessInfo*))

struct Api {
#define HIPR_NVML_MEMBER(member, symbol, parameters) Result(*member) parameters = nullptr;
  HIPR_NVML_FUNCTIONS(HIPR_NVML_MEMBER)
#undef HIPR_NVML_MEMBER
};

Status load(Api& api);  // kNotFound when there is no such library

}  // namespace hipr::telemetry::nvml
