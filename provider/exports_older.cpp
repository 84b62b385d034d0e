// The unprefixed names of the two older generations. Arguments arrive in registers: a function whose argument list
// differed takes what both have and reads it as the generation wants.
#include <atomic>
#include <cstring>

#include "provider/describe.h"
#include "provider/exports.h"
#include "provider/log.h"
#include "provider/older.h"
#include "provider/text.h"
#include "provider/topology.h"

namespace hipr::provider {
namespace {

std::atomic<Generation> generation{Generation::kB};
bool oldest() {
  return generation == Generation::kA;
}

AccelResult initAs(Generation caller) {
  generation = caller;
  return provider().init();
}

const char* text(std::uintptr_t argument) {
  return reinterpret_cast<const char*>(argument);
}

}  // namespace
}  // namespace hipr::provider

using namespace hipr::provider;

#pragma GCC visibility push(default)
extern "C" {
AccelResult VirtualGPUInit() {
  return initAs(Generation::kA);
}
AccelResult VGPUInit() {
  return initAs(Generation::kB);
}
AccelResult VGPUShutdown() {
  return provider().shutdown();
}
AccelResult GetDeviceCount(std::size_t* count) {
  return provider().deviceCount(count);
}
AccelResult GetAllDevices(void* out, std::size_t max, std::size_t* count) {
  if (oldest()) return provider().devices(static_cast<generation_a::ExtendedDeviceInfo*>(out), max, count);
  return provider().devices(static_cast<generation_b::ExtendedDeviceInfo*>(out), max, count);
}
// Generation A: the NUMA nodes of the devices whose indices are given.
AccelResult GetDeviceTopology(std::int32_t* indices, std::size_t count, generation_a::Topology* out) {
  if (!indices || !count || !out) return kInvalidParam;
  const auto board = provider().board();
  if (!board) return kOperationFailed;
  std::memset(out, 0, sizeof *out);
  setText(out->topologyType, "NUMA");
  for (std::size_t i = 0; i < count && out->deviceCount < kMaxTopologyDevices; ++i) {
    if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= board->gpus().size()) return kNotFound;
    generation_a::TopologyDevice& device = out->devices[out->deviceCount++];
    setText(device.uuid, board->names()[indices[i]]);
    device.numaNode = board->gpus()[indices[i]].numaNode.value_or(-1);
  }
  return kSuccess;
}
// Generation B: its hypervisor looks this up and never calls it, so only programs of the C header do.
AccelResult GetAllDevicesTopology(HeaderTopology* out) {
  return provider().topology(out);
}
// A: bool AssignPartition(PartitionAssignment*). B: result AssignPartition(template, uuid, PartitionResult*).
int AssignPartition(const void* first, const char* uuid, void* out) {
  if (oldest()) return 0;
  return out ? partitionsUnsupported(static_cast<const char*>(first), uuid) : kInvalidParam;
}
// A: bool. B: result.
int RemovePartition(const char* templateId, const char* uuid) {
  return oldest() ? 0 : partitionsUnsupported(templateId, uuid);
}
// A: (worker, uuid, bytes). B: (uuid, bytes).
AccelResult SetMemHardLimit(const char* first, std::uintptr_t second, std::uint64_t third) {
  return oldest() ? limitMemory(text(second), third) : limitMemory(first, second);
}
AccelResult SetComputeUnitHardLimit(const char* first, std::uintptr_t second, std::uint32_t third) {
  return oldest() ? limitCompute(text(second), third) : limitCompute(first, static_cast<std::uint32_t>(second));
}
AccelResult Snapshot(void* processes) {
  return processes ? kNotSupported : kInvalidParam;
}
AccelResult Resume(void* processes) {
  return processes ? kNotSupported : kInvalidParam;
}
AccelResult GetProcessInformation(ProcessInformation* out, std::size_t max, std::size_t* count) {
  return provider().processes(out, max, count);
}
AccelResult GetDeviceMetrics(const char** uuids, std::size_t count, DeviceMetrics* out) {
  return provider().metrics(uuids, count, out);
}
AccelResult GetVendorMountLibs(MountPath* out, std::size_t max, std::size_t* count) {
  return vendorMounts(out, max, count);
}
AccelResult RegisterLogCallback(LogCallback callback) {
  setLogCallback(callback);
  return kSuccess;
}
}
#pragma GCC visibility pop
