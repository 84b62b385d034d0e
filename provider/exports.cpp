// The interface of today, and the one provider of this process behind it.
#include "provider/exports.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/env.h"
#include "provider/log.h"
#include "provider/topology.h"

namespace hipr::provider {

Provider& provider() {
  // Never destroyed: the hypervisor's threads may call until the process is gone.
  static Provider* const only = new Provider(openAmdSource);
  return *only;
}

AccelResult partitionsUnsupported(const char* templateId, const char* uuid) {
  return templateId && *templateId && uuid && *uuid ? kNotSupported : kInvalidParam;
}
// A worker learns what it may give out when it starts, from its environment, and holds its clients to it
// (worker/tensor_fusion.h); so a limit that is set here is for workers that this process starts. It is one for all of
// their devices, whichever is named.
AccelResult limitMemory(const char* uuid, std::uint64_t bytes) {
  if (!uuid || !*uuid || !bytes) return kInvalidParam;
  const std::uint64_t megabytes = std::max<std::uint64_t>(1, bytes >> 20);
  return setenv("TF_GPU_MEMORY_LIMIT", std::to_string(megabytes).c_str(), 1) == 0 ? kSuccess : kOperationFailed;
}
AccelResult limitCompute(const char* uuid, std::uint32_t percent) {
  if (!uuid || !*uuid || percent < 1 || percent > 100) return kInvalidParam;
  return setenv("TF_CUDA_SM_PERCENT_LIMIT", std::to_string(percent).c_str(), 1) == 0 ? kSuccess : kOperationFailed;
}

// Nothing in a call tells which layout its caller has; but the hypervisor registers a log callback before it does
// anything else, and programs made with the C header do not. HIP_REMOTE_TOPOLOGY_LAYOUT=go|header settles a doubt.
bool callerIsGo() {
  const auto layout = envText("HIP_REMOTE_TOPOLOGY_LAYOUT");
  return layout ? *layout == "go" : hasLogCallback();
}

}  // namespace hipr::provider

using namespace hipr::provider;

#pragma GCC visibility push(default)
extern "C" {
AccelResult AccelInit() {
  return provider().init();
}
AccelResult AccelShutdown() {
  return provider().shutdown();
}
AccelResult AccelGetDeviceCount(std::size_t* count) {
  return provider().deviceCount(count);
}
AccelResult AccelGetAllDevices(ExtendedDeviceInfo* out, std::size_t max, std::size_t* count) {
  return provider().devices(out, max, count);
}
AccelResult AccelGetAllDevicesTopology(void* out) {
  if (callerIsGo()) return provider().topology(static_cast<GoTopology*>(out));
  return provider().topology(static_cast<HeaderTopology*>(out));
}
AccelResult AccelAssignPartition(const char* templateId, const char* uuid, PartitionResult* out) {
  return out ? partitionsUnsupported(templateId, uuid) : kInvalidParam;
}
AccelResult AccelRemovePartition(const char* templateId, const char* uuid) {
  return partitionsUnsupported(templateId, uuid);
}
AccelResult AccelSetMemHardLimit(const char* uuid, std::uint64_t bytes) {
  return limitMemory(uuid, bytes);
}
AccelResult AccelSetComputeUnitHardLimit(const char* uuid, std::uint32_t percent) {
  return limitCompute(uuid, percent);
}
AccelResult AccelSnapshot(SnapshotContext* context) {
  return context ? kNotSupported : kInvalidParam;
}
AccelResult AccelResume(SnapshotContext* context) {
  return context ? kNotSupported : kInvalidParam;
}
AccelResult AccelGetProcessInformation(ProcessInformation* out, std::size_t max, std::size_t* count) {
  return provider().processes(out, max, count);
}
AccelResult AccelGetDeviceMetrics(const char** uuids, std::size_t count, DeviceMetrics* out) {
  return provider().metrics(uuids, count, out);
}
AccelResult AccelGetVendorMountLibs(MountPath* out, std::size_t max, std::size_t* count) {
  return vendorMounts(out, max, count);
}
AccelResult AccelRegisterLogCallback(LogCallback callback) {
  setLogCallback(callback);
  return kSuccess;
}
}
#pragma GCC visibility pop
