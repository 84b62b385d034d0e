// Values, on telemetry that is known: fake_source.cpp. Units, missing values, links, processes.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <map>
#include <memory>

#include "provider/test/host.h"

namespace hipr::provider {
namespace {

class Values : public ::testing::Test {
 protected:
  void SetUp() override { host.start(); }
  void TearDown() override { host.stop(); }
  Host& host = Host::get();
};

std::map<std::string, double> extras(const DeviceMetrics& metrics) {
  std::map<std::string, double> out;
  for (std::size_t i = 0; i < metrics.extraMetricsCount; ++i)
    out[metrics.extraMetrics[i].key] = metrics.extraMetrics[i].value;
  return out;
}

TEST_F(Values, Devices) {
  const auto devices = host.discover();
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_STREQ(devices[0].basic.uuid, "amd-5a-0");
  EXPECT_STREQ(devices[3].basic.uuid, "amd-gpu-5a-3") << "made fit";
  EXPECT_STREQ(devices[0].basic.model, "AMD Instinct MI300X");
  EXPECT_STREQ(devices[2].basic.model, "AMD GPU") << "the driver filled in nothing readable";
  EXPECT_STREQ(devices[1].basic.deviceNode, "/dev/dri/renderD129");
  EXPECT_STREQ(devices[0].basic.driverVersion, "6.12.12");
  EXPECT_EQ(devices[2].basic.numaNode, 1);
  EXPECT_EQ(devices[0].basic.totalMemoryBytes, std::uint64_t{192} << 30);
  EXPECT_EQ(devices[0].basic.totalComputeUnits, 304u);
  EXPECT_NEAR(devices[0].basic.maxTflops, 1307.4, 0.1);
  EXPECT_EQ(devices[0].basic.pcieGen, 5u);
  EXPECT_EQ(devices[0].basic.pcieWidth, 16u);
}

TEST_F(Values, MetricsAreInWattsDegreesBytesAndPercent) {
  const auto metrics = host.metrics({"amd-5a-0", "AMD-5A-1", "amd-5a-2", "amd-gpu-5a-3"});
  EXPECT_EQ(metrics[0].powerUsageWatts, 123.5);
  EXPECT_EQ(metrics[0].temperatureCelsius, 50) << "edge, where there is one";
  EXPECT_EQ(metrics[1].temperatureCelsius, 62) << "else hotspot";
  EXPECT_EQ(metrics[0].utilizationPercent, 38u);
  EXPECT_EQ(metrics[1].utilizationPercent, 100u);
  EXPECT_EQ(metrics[0].memoryUsedBytes, std::uint64_t{1} << 30);
  EXPECT_EQ(metrics[3].memoryUsedBytes, std::uint64_t{4} << 30);
  EXPECT_EQ(metrics[0].pcieRxBytes, 1000u);
  EXPECT_EQ(metrics[0].pcieTxBytes, 2000u);
  const auto extra = extras(metrics[0]);
  EXPECT_EQ(extra.at("graphics_clock_mhz"), 2100);
  EXPECT_EQ(extra.at("sm_clock_mhz"), 2100);
  EXPECT_EQ(extra.at("memory_clock_mhz"), 1300);
  EXPECT_EQ(extra.at("nvlink_rx"), 3000);
  EXPECT_EQ(extra.at("hotspot_celsius"), 61);
  EXPECT_EQ(extra.at("power_cap_watts"), 750);
  EXPECT_FALSE(extra.count("nvlink_tx")) << "what is not known is not told";
  EXPECT_FALSE(extras(metrics[1]).count("energy_joules")) << "not a number";
}

TEST_F(Values, ASilentDeviceHasZerosAndTheOthersTheirs) {
  const auto metrics = host.metrics({"amd-5a-2", "amd-5a-0"});
  EXPECT_STREQ(metrics[0].deviceUUID, "amd-5a-2");
  EXPECT_EQ(metrics[0].powerUsageWatts, 0);
  EXPECT_EQ(metrics[1].powerUsageWatts, 123.5);
}

TEST_F(Values, TelemetryThatThrowsFailsNoCall) {
  setenv("FAKE_SOURCE_THROWS", "1", 1);
  const auto metrics = host.metrics({"amd-5a-0"});
  unsetenv("FAKE_SOURCE_THROWS");
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_EQ(metrics[0].powerUsageWatts, 0);
  bool warned = false;
  for (const Host::Line& line : host.takeLog()) warned |= line.level == "WARN";
  EXPECT_TRUE(warned);
}

TEST_F(Values, Processes) {
  const auto processes = host.processes();
  ASSERT_EQ(processes.size(), 2u) << "one names a device that does not exist";
  EXPECT_STREQ(processes[0].processId, "4711");
  EXPECT_STREQ(processes[0].deviceUUID, "amd-5a-0");
  EXPECT_EQ(processes[0].memoryUsedBytes, std::uint64_t{48} << 30);
  EXPECT_EQ(processes[0].memoryUtilizationPercent, 25);
  EXPECT_EQ(processes[0].activeSMs, 152u);
  EXPECT_EQ(processes[0].totalSMs, 304u);
  EXPECT_EQ(processes[0].computeUtilizationPercent, 50) << "by occupied units";
  EXPECT_EQ(processes[1].computeUtilizationPercent, 12.5) << "by the driver's own figure";
}

TEST_F(Values, LinksOfTheTopology) {
  auto go = std::make_unique<GoTopology>();
  ASSERT_EQ(host.call().topology(go.get()), kSuccess);
  const auto& row = go->devices[0];
  EXPECT_STREQ(row.deviceUUID, "amd-5a-0");
  EXPECT_EQ(row.peers[0].topoLevel, kTopoInternal);
  EXPECT_STREQ(row.peers[0].peerUUID, "amd-5a-1");
  EXPECT_EQ(row.peers[0].bandwidthBytesPerSec, 64'000'000'000);
  EXPECT_EQ(row.peers[1].peerIndex, 2);
  EXPECT_EQ(row.peers[1].topoLevel, kTopoSystem);
  EXPECT_EQ(row.peers[1].bandwidthBytesPerSec, 0);
}

TEST_F(Values, WithoutTelemetryInitFailsAndSaysWhy) {
  host.stop();
  host.takeLog();
  setenv("FAKE_SOURCE_MISSING", "1", 1);
  host.call().registerLog([](const char*, const char*) {});
  EXPECT_EQ(host.call().init(), kNotFound);
  std::size_t count = 9;
  EXPECT_EQ(host.call().deviceCount(&count), kOperationFailed);
  EXPECT_EQ(count, 0u);
  unsetenv("FAKE_SOURCE_MISSING");
  EXPECT_EQ(host.call().init(), kSuccess) << "once it is there";
}

}  // namespace
}  // namespace hipr::provider
