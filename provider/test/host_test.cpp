// What the hypervisor relies on, function by function, whichever telemetry is behind the library.
#include "provider/test/host.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "provider/identity.h"

namespace hipr::provider {
namespace {

class HostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    host.takeLog();
    host.start();
  }
  void TearDown() override {
    for (const Host::Line& line : host.takeLog()) EXPECT_NE(line.level, "FATAL") << line.text;
    host.stop();
  }
  Host& host = Host::get();
  const Functions& call = Host::get().call();
};

TEST_F(HostTest, InitAndShutdownInAnyNumberAndOrder) {
  EXPECT_EQ(call.init(), kSuccess);
  EXPECT_EQ(call.init(), kSuccess);
  EXPECT_EQ(call.shutdown(), kSuccess);
  EXPECT_EQ(call.shutdown(), kSuccess);
  EXPECT_FALSE(host.discover().empty()) << "a call after a shutdown initialises by itself";
  EXPECT_EQ(call.init(), kSuccess);
}

TEST_F(HostTest, DevicesAreFitForKubernetes) {
  const auto devices = host.discover();
  ASSERT_FALSE(devices.empty());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceBasicInfo& basic = devices[i].basic;
    EXPECT_TRUE(fitName(basic.uuid)) << basic.uuid;
    EXPECT_TRUE(seen.insert(basic.uuid).second) << basic.uuid << " twice";
    EXPECT_STREQ(basic.vendor, "AMD");
    EXPECT_STRNE(basic.model, "");
    EXPECT_EQ(basic.index, static_cast<int>(i));
    EXPECT_GE(basic.numaNode, -1);
    if (i == 0) {  // of others a source may know nothing but that they are there
      EXPECT_GT(basic.totalMemoryBytes, 0u);
      EXPECT_GT(basic.maxTflops, 0);
    }
    EXPECT_LE(devices[i].props.count, kMaxProperties);
    EXPECT_GT(devices[i].props.count, 0u);
    const VirtualizationCapabilities& can = devices[i].virtualizationCapabilities;
    EXPECT_TRUE(can.supportsMetrics && can.supportsRemoting && can.supportsHardIsolation);
    EXPECT_FALSE(can.supportsPartitioning || can.supportsSoftIsolation || can.supportsSnapshot);
    EXPECT_EQ(can.maxPartitions, 0u);
  }
}

TEST_F(HostTest, DevicesAreTheSameAfterAReload) {
  const auto before = host.discover();
  host.stop();
  host.start();
  const auto after = host.discover();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_STREQ(before[i].basic.uuid, after[i].basic.uuid);
}

TEST_F(HostTest, NeverMoreDevicesThanThereIsRoomFor) {
  std::vector<ExtendedDeviceInfo> out(2);
  std::memset(static_cast<void*>(&out[1]), 0x5a, sizeof out[1]);
  std::size_t count = 0;
  ASSERT_EQ(call.allDevices(out.data(), 1, &count), kSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(out[1].basic.uuid[0], 0x5a);
}

TEST_F(HostTest, MetricsEchoEveryUuid) {
  const auto devices = host.discover();
  std::vector<std::string> uuids;
  for (const auto& device : devices) uuids.push_back(device.basic.uuid);
  uuids.insert(uuids.end(), {"stub-device-0", "", std::string(63, 'x'), "weird \xff ☃"});
  while (uuids.size() < kGoDevices) uuids.push_back("unknown-" + std::to_string(uuids.size()));
  const auto metrics = host.metrics(uuids);
  ASSERT_EQ(metrics.size(), uuids.size());
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    EXPECT_STREQ(metrics[i].deviceUUID, uuids[i].c_str());
    EXPECT_LE(metrics[i].utilizationPercent, 100u);
    EXPECT_LT(metrics[i].temperatureCelsius, 200);
    EXPECT_LT(metrics[i].powerUsageWatts, 5000);
    ASSERT_LE(metrics[i].extraMetricsCount, kMaxExtraMetrics);
    std::set<std::string> keys = {
        "rx",         "tx", "temperature", "memory_bytes", "memory_percentage", "compute_percentage", "compute_tflops",
        "power_usage"};
    for (std::size_t j = 0; j < metrics[i].extraMetricsCount; ++j) {
      EXPECT_TRUE(keys.insert(metrics[i].extraMetrics[j].key).second) << metrics[i].extraMetrics[j].key;
    }
    if (i >= devices.size()) {
      EXPECT_EQ(metrics[i].extraMetricsCount, 0u);
    }
  }
  const char* withNull[] = {nullptr, uuids[0].c_str()};
  std::vector<DeviceMetrics> out(2);
  EXPECT_EQ(call.metrics(withNull, 2, out.data()), kSuccess);
  EXPECT_STREQ(out[1].deviceUUID, uuids[0].c_str());
}

TEST_F(HostTest, ALongUuidIsCutNotOverrun) {
  const auto metrics = host.metrics({std::string(500, 'u')});
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_EQ(std::strlen(metrics[0].deviceUUID), 63u);
}

TEST_F(HostTest, ProcessesNameKnownDevices) {
  std::set<std::string> known;
  for (const auto& device : host.discover()) known.insert(device.basic.uuid);
  for (const ProcessInformation& process : host.processes()) {
    EXPECT_TRUE(known.count(process.deviceUUID)) << process.deviceUUID;
    EXPECT_GT(std::atoll(process.processId), 0);
    EXPECT_GE(process.computeUtilizationPercent, 0);
    EXPECT_LE(process.computeUtilizationPercent, 100);
  }
}

TEST_F(HostTest, MountsAreTheFoldersOfRocmThatExist) {
  char root[] = "/tmp/rocm-XXXXXX";
  ASSERT_TRUE(mkdtemp(root));
  setenv("ROCM_PATH", root, 1);
  std::vector<MountPath> out(kGoMounts);
  std::size_t count = 7;
  EXPECT_EQ(call.mounts(out.data(), kGoMounts, &count), kNotFound);
  EXPECT_EQ(count, 0u);
  std::filesystem::create_directory(std::string(root) + "/lib");
  std::filesystem::create_directory(std::string(root) + "/bin");
  ASSERT_EQ(call.mounts(out.data(), kGoMounts, &count), kSuccess);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(out[0].hostPath, std::string(root) + "/lib");
  EXPECT_STREQ(out[0].guestPath, "/usr/local/rocm/lib");
  EXPECT_STREQ(out[1].guestPath, "/usr/local/rocm/bin");
  EXPECT_EQ(call.mounts(out.data(), 1, &count), kSuccess);
  EXPECT_EQ(count, 1u);
  unsetenv("ROCM_PATH");
  std::filesystem::remove_all(root);
}

TEST_F(HostTest, WhatIsNotSupportedSaysSo) {
  auto result = std::make_unique<PartitionResult>();
  SnapshotContext context{};
  EXPECT_EQ(call.assignPartition("1g.10gb", "stub-device-0", result.get()), kNotSupported);
  EXPECT_EQ(call.removePartition("partition-1", "stub-device-0"), kNotSupported);
  EXPECT_EQ(call.snapshot(&context), kNotSupported);
  EXPECT_EQ(call.resume(&context), kNotSupported);
}

TEST_F(HostTest, BadArgumentsAreRefused) {
  std::size_t n = 0;
  ExtendedDeviceInfo* device = std::make_unique<ExtendedDeviceInfo[]>(1).release();
  const std::unique_ptr<ExtendedDeviceInfo[]> owner(device);
  ProcessInformation process{};
  auto metrics = std::make_unique<DeviceMetrics>();
  auto result = std::make_unique<PartitionResult>();
  MountPath mount{};
  const char* uuid = "x";
  EXPECT_EQ(call.deviceCount(nullptr), kInvalidParam);
  EXPECT_EQ(call.allDevices(nullptr, 1, &n), kInvalidParam);
  EXPECT_EQ(call.allDevices(device, 0, &n), kInvalidParam);
  EXPECT_EQ(call.allDevices(device, 1, nullptr), kInvalidParam);
  EXPECT_EQ(call.topology(nullptr), kInvalidParam);
  EXPECT_EQ(call.processes(nullptr, 1, &n), kInvalidParam);
  EXPECT_EQ(call.processes(&process, 0, &n), kInvalidParam);
  EXPECT_EQ(call.processes(&process, 1, nullptr), kInvalidParam);
  EXPECT_EQ(call.metrics(nullptr, 1, metrics.get()), kInvalidParam);
  EXPECT_EQ(call.metrics(&uuid, 0, metrics.get()), kInvalidParam);
  EXPECT_EQ(call.metrics(&uuid, 1, nullptr), kInvalidParam);
  EXPECT_EQ(call.mounts(nullptr, 1, &n), kInvalidParam);
  EXPECT_EQ(call.mounts(&mount, 0, &n), kInvalidParam);
  EXPECT_EQ(call.mounts(&mount, 1, nullptr), kInvalidParam);
  for (const char* bad : {static_cast<const char*>(nullptr), ""}) {
    EXPECT_EQ(call.assignPartition(bad, "x", result.get()), kInvalidParam);
    EXPECT_EQ(call.assignPartition("x", bad, result.get()), kInvalidParam);
    EXPECT_EQ(call.removePartition(bad, "x"), kInvalidParam);
    EXPECT_EQ(call.removePartition("x", bad), kInvalidParam);
    EXPECT_EQ(call.setMemoryLimit(bad, 1), kInvalidParam);
    EXPECT_EQ(call.setComputeLimit(bad, 1), kInvalidParam);
  }
  EXPECT_EQ(call.assignPartition("x", "x", nullptr), kInvalidParam);
  EXPECT_EQ(call.setMemoryLimit("x", 0), kInvalidParam);
  EXPECT_EQ(call.setComputeLimit("x", 0), kInvalidParam);
  EXPECT_EQ(call.setComputeLimit("x", 101), kInvalidParam);
  EXPECT_EQ(call.snapshot(nullptr), kInvalidParam);
  EXPECT_EQ(call.resume(nullptr), kInvalidParam);
}

TEST_F(HostTest, LogLinesGoToTheCallbackWhileThereIsOne) {
  call.shutdown();
  host.takeLog();
  call.init();
  EXPECT_FALSE(host.takeLog().empty()) << "an init says what it found";
  call.shutdown();
  call.registerLog(nullptr);
  host.takeLog();
  call.init();
  EXPECT_TRUE(host.takeLog().empty());
}

// One table, seen through the layout of either caller. The other layout's count must not be written.
TEST_F(HostTest, TopologyHasTheLayoutOfItsCaller) {
  const std::size_t devices = host.discover().size();
  auto go = std::make_unique<GoTopology>();
  ASSERT_EQ(call.topology(go.get()), kSuccess);
  EXPECT_EQ(go->deviceCount, devices);
  for (std::size_t i = 0; i < devices; ++i) EXPECT_EQ(go->devices[i].peerCount, devices - 1);

  call.registerLog(nullptr);  // a program of the C header: 300040 bytes, not one more
  std::vector<unsigned char> bytes(sizeof(GoTopology), 0x5a);
  ASSERT_EQ(call.topology(bytes.data()), kSuccess);
  const auto* header = reinterpret_cast<const HeaderTopology*>(bytes.data());
  EXPECT_EQ(header->deviceCount, devices);
  for (std::size_t i = sizeof(HeaderTopology); i < bytes.size(); ++i) ASSERT_EQ(bytes[i], 0x5a) << i;

  setenv("HIP_REMOTE_TOPOLOGY_LAYOUT", "go", 1);
  auto forced = std::make_unique<GoTopology>();
  ASSERT_EQ(call.topology(forced.get()), kSuccess);
  EXPECT_EQ(forced->deviceCount, devices);
  unsetenv("HIP_REMOTE_TOPOLOGY_LAYOUT");
}

}  // namespace
}  // namespace hipr::provider
