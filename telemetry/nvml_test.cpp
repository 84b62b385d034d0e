// The NVML source against fake_nvml.cpp, which the loader finds under the real name.
#include <gtest/gtest.h>

#include "telemetry/source.h"

namespace hipr::telemetry {
namespace {

class Nvml : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status status = openNvml(source);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(source->gpus().size(), 2u);
  }
  SourcePtr source;
};

TEST_F(Nvml, DescribesGpusInOurUnits) {
  const Gpu& gpu = source->gpus()[0];
  EXPECT_EQ(gpu.name, "NVIDIA Fake");
  EXPECT_EQ(gpu.vendor, "NVIDIA");
  EXPECT_EQ(gpu.uuid, "gpu-8a1b-c");  // a label of RFC 1123
  EXPECT_EQ(gpu.target, "sm_90");
  EXPECT_EQ(gpu.bdf, "0000:41:00.0");
  EXPECT_EQ(gpu.vendorId, 0x10deu);
  EXPECT_EQ(gpu.deviceId, 0x2335u);
  EXPECT_EQ(gpu.driverVersion, "555.42");
  EXPECT_EQ(gpu.memoryBytes, 1000u);
  EXPECT_EQ(gpu.powerCapWatts, 700.0);
  EXPECT_FALSE(gpu.maxEngineMHz);  // the library has no such function
}

TEST_F(Nvml, ReadsInOurUnitsAndLeavesOutTheRest) {
  const std::vector<Reading> readings = source->read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_DOUBLE_EQ(*readings[0].powerWatts, 123.456);
  EXPECT_DOUBLE_EQ(*readings[0].energyJoules, 5.0);
  EXPECT_EQ(readings[0].edgeCelsius, 41.0);
  EXPECT_EQ(readings[0].busyPercent, 70.0);
  EXPECT_EQ(readings[0].memoryBusyPercent, 30.0);
  EXPECT_EQ(readings[0].engineMHz, 1980u);
  EXPECT_EQ(readings[0].memoryMHz, 2619u);
  EXPECT_EQ(readings[0].memoryUsedBytes, 500u);
  EXPECT_EQ(readings[0].correctableErrors, 3u);
  EXPECT_EQ(readings[0].throttled, true);
  EXPECT_FALSE(readings[0].fanPercent);
  EXPECT_FALSE(readings[1].powerWatts);
  EXPECT_EQ(readings[1].memoryUsedBytes, 600u);  // it has only the older call
}

TEST_F(Nvml, ListsEachProcessOnce) {
  const std::vector<Process> processes = source->processes();
  ASSERT_EQ(processes.size(), 71u);  // 70 on the first GPU, one of them twice in the library; one on the second
  EXPECT_EQ(processes[0].pid, 100u);
  EXPECT_EQ(processes[0].name, "train");
  EXPECT_EQ(processes[0].memoryBytes, 50u);
  EXPECT_EQ(processes[1].memoryBytes, 0u);  // unknown
  EXPECT_EQ(processes[70].gpu, 1u);
}

TEST_F(Nvml, KnowsNvlink) {
  ASSERT_EQ(source->links().size(), 2u);
  EXPECT_EQ(source->links()[0].kind, LinkKind::Fabric);
  EXPECT_EQ(source->links()[1].kind, LinkKind::Pcie);
  EXPECT_EQ(source->links()[1].accessible, true);
}

}  // namespace
}  // namespace hipr::telemetry
