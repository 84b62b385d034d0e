// A stand-in for NVIDIA's libnvidia-ml.so.1 with two GPUs, in the units of the real one. The second lacks nearly
// everything.
#include <cstdio>
#include <cstring>

#include "telemetry/nvml_api.h"

using namespace hipr::telemetry::nvml;

namespace {

constexpr Result kNotSupported = 3;
char objects[2];

unsigned indexOf(Device device) {
  return reinterpret_cast<char*>(device) == &objects[1] ? 1 : 0;
}
template <class T>
Result give(Device device, T* out, T value) {
  if (indexOf(device) == 1) return kNotSupported;
  *out = value;
  return kSuccess;
}
Result text(char* out, unsigned size, const char* value) {
  return std::snprintf(out, size, "%s", value) < static_cast<int>(size) ? kSuccess : kInsufficientSize;
}

}  // namespace

#define FAKE extern "C" [[gnu::visibility("default")]] Result
FAKE nvmlInit_v2() {
  return kSuccess;
}
FAKE nvmlShutdown() {
  return kSuccess;
}
FAKE nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return kSuccess;
}
FAKE nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* out) {
  *out = reinterpret_cast<Device>(&objects[index]);
  return kSuccess;
}
FAKE nvmlSystemGetDriverVersion(char* out, unsigned size) {
  return text(out, size, "555.42");
}
FAKE nvmlSystemGetProcessName(unsigned pid, char* out, unsigned size) {
  return text(out, size, pid == 100 ? "/usr/bin/train" : "");
}
FAKE nvmlDeviceGetName(Device device, char* out, unsigned size) {
  return text(out, size, indexOf(device) ? "Second" : "NVIDIA Fake");
}
FAKE nvmlDeviceGetUUID(Device device, char* out, unsigned size) {
  return text(out, size, indexOf(device) ? "GPU-B" : "GPU-8A1B_C");
}
FAKE nvmlDeviceGetPciInfo_v3(Device device, PciInfo* out) {
  return give(device, out, PciInfo{{}, 0, 0x41, 0, 0x233510de, 0x18be10de, {}});
}
FAKE nvmlDeviceGetCudaComputeCapability(Device, int* major, int* minor) {
  *major = 9, *minor = 0;
  return kSuccess;
}
FAKE nvmlDeviceGetMemoryInfo_v2(Device device, Memory2* out) {
  if (out->version != 0x2000028) return kNotSupported;
  return give(device, out, Memory2{.total = 1000, .reserved = 100, .free = 400, .used = 500});
}
FAKE nvmlDeviceGetMemoryInfo(Device, Memory* out) {
  *out = {1000, 400, 600};
  return kSuccess;
}
FAKE nvmlDeviceGetUtilizationRates(Device device, Utilization* out) {
  return give(device, out, Utilization{70, 30});
}
FAKE nvmlDeviceGetPowerUsage(Device device, unsigned* out) {
  return give(device, out, 123456u);
}
FAKE nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* out) {
  return give(device, out, 700000u);
}
FAKE nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* out) {
  return give(device, out, 5000ull);
}
FAKE nvmlDeviceGetTemperature(Device device, int, unsigned* out) {
  return give(device, out, 41u);
}
FAKE nvmlDeviceGetClockInfo(Device device, int clock, unsigned* out) {
  return give(device, out, clock == kClockMemory ? 2619u : 1980u);
}
FAKE nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* out) {
  return give(device, out, 0x40ull);
}
FAKE nvmlDeviceGetTotalEccErrors(Device device, int kind, int, unsigned long long* out) {
  return give(device, out, kind == kErrorCorrected ? 3ull : 0ull);
}
FAKE nvmlDeviceGetP2PStatus(Device from, Device, int what, int* out) {
  *out = indexOf(from) == 0 || what == kP2pRead ? kStatusOk : 1;
  return kSuccess;
}
// More processes than a caller first has room for.
FAKE nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* out) {
  const unsigned have = indexOf(device) ? 0 : 70, room = *count;
  *count = have;
  if (room < have) return kInsufficientSize;
  for (unsigned i = 0; i < have; ++i) out[i] = {100 + i, i == 1 ? kUnknownBytes : 50, 0, 0};
  return kSuccess;
}
FAKE nvmlDeviceGetGraphicsRunningProcesses_v3(Device, unsigned* count, ProcessInfo* out) {
  *count = 1;
  out[0] = {100, 50, 0, 0};
  return kSuccess;
}
