// The two older generations of the interface, called with their own layouts and argument lists.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "provider/older.h"
#include "provider/test/host.h"

namespace hipr::provider {
namespace {

using Result = int;

template <class Info>
void expectDevicesAsToday(Host& host) {
  const auto today = host.discover();
  ASSERT_FALSE(today.empty());
  std::size_t count = 0;
  ASSERT_EQ(host.function<Result (*)(std::size_t*)>("GetDeviceCount")(&count), kSuccess);
  ASSERT_EQ(count, today.size());
  // One more than there are, as a guard.
  std::vector<Info> out(count + 1);
  std::memset(static_cast<void*>(&out[count]), 0x5a, sizeof(Info));
  ASSERT_EQ(host.function<Result (*)(Info*, std::size_t, std::size_t*)>("GetAllDevices")(out.data(), count, &count),
            kSuccess);
  ASSERT_EQ(count, today.size());
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_STREQ(out[i].basic.uuid, today[i].basic.uuid);
    EXPECT_STREQ(out[i].basic.model, today[i].basic.model);
    EXPECT_STREQ(out[i].basic.firmwareVersion, today[i].basic.firmwareVersion);
    EXPECT_EQ(out[i].basic.totalMemoryBytes, today[i].basic.totalMemoryBytes);
    EXPECT_EQ(out[i].basic.maxTflops, today[i].basic.maxTflops);
    EXPECT_EQ(out[i].basic.pcieWidth, today[i].basic.pcieWidth);
    EXPECT_EQ(out[i].props.count, today[i].props.count);
    EXPECT_TRUE(out[i].virtualizationCapabilities.supportsRemoting);
  }
  EXPECT_EQ(out[count].basic.uuid[0], 0x5a);
}

void expectUnchangedCalls(Host& host) {
  const std::string uuid = host.discover()[0].basic.uuid;
  const char* name = uuid.c_str();
  auto metrics = std::make_unique<DeviceMetrics>();
  EXPECT_EQ(host.function<decltype(Functions::metrics)>("GetDeviceMetrics")(&name, 1, metrics.get()), kSuccess);
  EXPECT_EQ(metrics->deviceUUID, uuid);
  std::vector<ProcessInformation> processes(kGoProcesses);
  std::size_t count = 0;
  EXPECT_EQ(
      host.function<decltype(Functions::processes)>("GetProcessInformation")(processes.data(), kGoProcesses, &count),
      kSuccess);
  std::vector<MountPath> mounts(kGoMounts);
  const Result result =
      host.function<decltype(Functions::mounts)>("GetVendorMountLibs")(mounts.data(), kGoMounts, &count);
  EXPECT_TRUE(result == kSuccess || result == kNotFound) << result;
  EXPECT_EQ(host.function<decltype(Functions::registerLog)>("RegisterLogCallback")(nullptr), kSuccess);
}

TEST(Older, GenerationA) {
  Host& host = Host::get();
  ASSERT_EQ(host.function<Result (*)()>("VirtualGPUInit")(), kSuccess);
  expectDevicesAsToday<generation_a::ExtendedDeviceInfo>(host);
  expectUnchangedCalls(host);

  std::int32_t indices[] = {0, 99};
  auto topology = std::make_unique<generation_a::Topology>();
  const auto deviceTopology =
      host.function<Result (*)(std::int32_t*, std::size_t, generation_a::Topology*)>("GetDeviceTopology");
  EXPECT_EQ(deviceTopology(indices, 1, topology.get()), kSuccess);
  EXPECT_EQ(topology->deviceCount, 1u);
  EXPECT_STREQ(topology->devices[0].uuid, host.discover()[0].basic.uuid);
  EXPECT_STREQ(topology->topologyType, "NUMA");
  EXPECT_EQ(deviceTopology(indices, 2, topology.get()), kNotFound);
  EXPECT_EQ(deviceTopology(nullptr, 1, topology.get()), kInvalidParam);

  auto assignment = std::make_unique<generation_a::PartitionAssignment>();
  std::strcpy(assignment->templateId, "1g.10gb");
  std::strcpy(assignment->deviceUUID, "x");
  EXPECT_FALSE(host.function<bool (*)(generation_a::PartitionAssignment*)>("AssignPartition")(assignment.get()));
  EXPECT_FALSE(host.function<bool (*)(const char*, const char*)>("RemovePartition")("1g.10gb", "x"));
  const auto limit = host.function<Result (*)(const char*, const char*, std::uint64_t)>("SetMemHardLimit");
  EXPECT_EQ(limit("worker", "x", 3 << 20), kSuccess);
  EXPECT_STREQ(getenv("TF_GPU_MEMORY_LIMIT"), "3");
  EXPECT_EQ(limit("worker", "x", 0), kInvalidParam);
  EXPECT_EQ(limit("worker", nullptr, 1), kInvalidParam);
  const auto share = host.function<Result (*)(const char*, const char*, std::uint32_t)>("SetComputeUnitHardLimit");
  EXPECT_EQ(share("worker", "x", 60), kSuccess);
  EXPECT_STREQ(getenv("TF_CUDA_SM_PERCENT_LIMIT"), "60");
  EXPECT_EQ(share("worker", "x", 101), kInvalidParam);
  auto processes = std::make_unique<generation_a::ProcessArray>();
  EXPECT_EQ(host.function<Result (*)(generation_a::ProcessArray*)>("Snapshot")(processes.get()), kNotSupported);
  EXPECT_EQ(host.function<Result (*)(generation_a::ProcessArray*)>("Resume")(nullptr), kInvalidParam);
}

TEST(Older, GenerationB) {
  Host& host = Host::get();
  ASSERT_EQ(host.function<Result (*)()>("VGPUInit")(), kSuccess);
  expectDevicesAsToday<generation_b::ExtendedDeviceInfo>(host);
  expectUnchangedCalls(host);
  std::vector<unsigned char> bytes(sizeof(GoTopology), 0x5a);
  EXPECT_EQ(host.function<Result (*)(void*)>("GetAllDevicesTopology")(bytes.data()), kSuccess);
  EXPECT_EQ(bytes[sizeof(HeaderTopology)], 0x5a);
  std::vector<char> result(2628);  // of this generation; nothing is written
  const auto assign = host.function<Result (*)(const char*, const char*, void*)>("AssignPartition");
  EXPECT_EQ(assign("1g.10gb", "x", result.data()), kNotSupported);
  EXPECT_EQ(assign("", "x", result.data()), kInvalidParam);
  EXPECT_EQ(host.function<Result (*)(const char*, const char*)>("RemovePartition")("p", "x"), kNotSupported);
  EXPECT_EQ(host.function<Result (*)(const char*, std::uint64_t)>("SetMemHardLimit")("x", 1), kSuccess);
  EXPECT_EQ(host.function<Result (*)(const char*, std::uint32_t)>("SetComputeUnitHardLimit")("x", 0), kInvalidParam);
  SnapshotContext context{};
  EXPECT_EQ(host.function<Result (*)(SnapshotContext*)>("Snapshot")(&context), kNotSupported);
  EXPECT_EQ(host.function<Result (*)()>("VGPUShutdown")(), kSuccess);
}

}  // namespace
}  // namespace hipr::provider
