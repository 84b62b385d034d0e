// The telemetry source over AMD's library, against fake libraries of several ages.
#include <gtest/gtest.h>

#include <algorithm>

#include "telemetry/amdsmi.h"
#include "telemetry/amdsmi_layout.h"

namespace hipr::telemetry {
namespace {

struct Age {
  const char* file;
  const char* version;
  bool hasTarget, hasSubsystem, hasOccupancy;
  const char* target;
};
void PrintTo(const Age& age, std::ostream* out) {
  *out << age.version;
}

class AmdSmiSource : public ::testing::TestWithParam<Age> {
 protected:
  void SetUp() override {
    const Status status = amdsmi::open(std::string(FAKE_FOLDER "/") + GetParam().file, source_);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(source_->gpus().size(), 2u);
  }
  SourcePtr source_;
};

TEST_P(AmdSmiSource, TellsWhichLibraryItIs) {
  EXPECT_EQ(source_->kind(), "amdsmi");
  EXPECT_EQ(source_->libraryVersion(), std::string("AMD SMI ") + GetParam().version);
}

TEST_P(AmdSmiSource, DescribesAGpuAlikeWhateverTheLayout) {
  const Age& age = GetParam();
  const Gpu& gpu = source_->gpus()[0];
  EXPECT_EQ(gpu.name, "AMD Instinct MI210");
  EXPECT_EQ(gpu.vendor, "AMD");
  EXPECT_EQ(gpu.serial, "18b6f2c000a1d3e4");
  EXPECT_EQ(gpu.uuid, "18ff740f-0000-1000-80b6-f2c000a1d3e4");
  EXPECT_EQ(gpu.bdf, "0000:c3:00.0");
  EXPECT_EQ(gpu.vendorId, 0x1002u);
  EXPECT_EQ(gpu.deviceId, 0x740fu);
  EXPECT_EQ(gpu.revisionId, 2u);
  EXPECT_EQ(gpu.subsystemId, age.hasSubsystem ? Maybe<std::uint32_t>(0x0c34) : std::nullopt);
  EXPECT_EQ(gpu.target, age.target);
  EXPECT_EQ(gpu.computeUnits, age.hasTarget ? Maybe<std::uint32_t>(104) : std::nullopt);
  EXPECT_EQ(gpu.boardModel, "102-D67301");
  EXPECT_EQ(gpu.boardName, "Instinct board");
  EXPECT_EQ(gpu.manufacturer, "AMD");
  EXPECT_EQ(gpu.driverName, "amdgpu");
  EXPECT_EQ(gpu.driverVersion, "6.12.12");
  EXPECT_EQ(gpu.firmwareVersion, "022.040.003");
  EXPECT_EQ(gpu.memoryBytes, std::uint64_t{65520} << 20);
  EXPECT_EQ(gpu.memoryType, "HBM");
  EXPECT_EQ(gpu.memoryBusBits, age.hasTarget ? Maybe<std::uint32_t>(4096) : std::nullopt);
  EXPECT_EQ(gpu.maxEngineMHz, 1700u);
  EXPECT_EQ(gpu.maxMemoryMHz, 1600u);
  EXPECT_EQ(gpu.maxPcieGeneration, 4u);
  EXPECT_EQ(gpu.maxPcieWidth, 16u);
  EXPECT_EQ(gpu.slowdownCelsius, 100.0);
  EXPECT_EQ(gpu.shutdownCelsius, 105.0);
  EXPECT_EQ(gpu.numaNode, 1);
}

TEST_P(AmdSmiSource, ReadsPowerCapsInWattsWhateverTheirUnit) {
  EXPECT_EQ(source_->gpus()[0].powerCapWatts, 300.0);
  EXPECT_EQ(source_->gpus()[0].maxPowerCapWatts, 330.0);
  EXPECT_FALSE(source_->gpus()[0].minPowerCapWatts);  // 0 means not known
}

TEST_P(AmdSmiSource, KnowsNothingOfAGpuThatTellsNothing) {
  const Gpu& gpu = source_->gpus()[1];
  EXPECT_EQ(gpu.bdf, "0001:83:01.0");
  EXPECT_EQ(gpu.name, "");
  EXPECT_EQ(gpu.serial, "");
  EXPECT_TRUE(gpu.uuid.starts_with("gpu-")) << gpu.uuid;  // its own is the same for every such GPU
  EXPECT_TRUE(gpu.uuid.ends_with("-0001-83-01-0")) << gpu.uuid;
  EXPECT_LE(gpu.uuid.size(), 63u);
  EXPECT_EQ(gpu.target, "");
  EXPECT_EQ(gpu.memoryType, "");
  EXPECT_EQ(gpu.memoryBytes, 0u);
  EXPECT_FALSE(gpu.vendorId || gpu.deviceId || gpu.computeUnits || gpu.memoryBusBits || gpu.maxEngineMHz);
  EXPECT_FALSE(gpu.powerCapWatts || gpu.slowdownCelsius || gpu.maxPcieGeneration || gpu.maxPcieWidth || gpu.numaNode);

  const Reading reading = source_->read()[1];
  EXPECT_FALSE(reading.powerWatts || reading.energyJoules || reading.edgeCelsius || reading.hotspotCelsius);
  EXPECT_FALSE(reading.busyPercent || reading.memoryBusyPercent || reading.engineMHz || reading.memoryMHz);
  EXPECT_FALSE(reading.memoryUsedBytes || reading.fanPercent || reading.fanRpm || reading.voltageMillivolts);
  EXPECT_FALSE(reading.pcieGeneration || reading.pcieWidth || reading.correctableErrors || reading.throttled);
}

TEST_P(AmdSmiSource, ReadsWhatChanges) {
  const std::vector<Reading> readings = source_->read();
  ASSERT_EQ(readings.size(), 2u);
  const Reading& r = readings[0];
  EXPECT_EQ(r.edgeCelsius, 38.0);  // not in the metrics: from the call for one sensor
  EXPECT_EQ(r.hotspotCelsius, 51.0);
  EXPECT_EQ(r.memoryCelsius, 47.0);
  EXPECT_EQ(r.busyPercent, 83.0);
  EXPECT_FALSE(r.memoryBusyPercent);
  EXPECT_EQ(r.powerWatts, 95.0);
  EXPECT_EQ(r.voltageMillivolts, 806u);
  EXPECT_NEAR(r.energyJoules.value_or(0), 15.259, 1e-9);
  EXPECT_EQ(r.engineMHz, 1655u);
  EXPECT_EQ(r.memoryMHz, 1600u);
  EXPECT_EQ(r.socMHz, 1090u);
  EXPECT_EQ(r.memoryUsedBytes, std::uint64_t{3} << 30);
  EXPECT_EQ(r.fanPercent, 40u);
  EXPECT_EQ(r.pcieGeneration, 3u);
  EXPECT_EQ(r.pcieWidth, 8u);
  EXPECT_EQ(r.correctableErrors, 7u);
  EXPECT_EQ(r.uncorrectableErrors, 1u);
  EXPECT_EQ(r.throttled, true);
  EXPECT_FALSE(r.fabricReceivedBytes);  // a rate takes two readings
  const Reading next = source_->read()[0];
  ASSERT_TRUE(next.fabricReceivedBytes && next.fabricSentBytes);
  EXPECT_GT(*next.fabricReceivedBytes, 0u);
  EXPECT_NEAR(static_cast<double>(*next.fabricSentBytes), 2.0 * static_cast<double>(*next.fabricReceivedBytes), 4);
}

TEST_P(AmdSmiSource, ListsAllProcesses) {
  const std::vector<Process> processes = source_->processes();
  ASSERT_EQ(processes.size(), 300u);
  EXPECT_EQ(processes[0].pid, 65535u);
  EXPECT_EQ(processes[0].name, "python3");
  EXPECT_EQ(processes[0].memoryBytes, 4096u);
  EXPECT_FALSE(processes[0].computeUnits);
  EXPECT_EQ(processes[299].pid, 65535u + 299);
  EXPECT_EQ(processes[299].memoryBytes, 1u << 20);
  EXPECT_EQ(processes[299].computeUnits, GetParam().hasOccupancy ? Maybe<std::uint32_t>(12) : std::nullopt);
}

TEST_P(AmdSmiSource, KnowsTheLinks) {
  ASSERT_EQ(source_->links().size(), 2u);
  const Link& there = source_->links()[0];
  EXPECT_EQ(there.from, 0u);
  EXPECT_EQ(there.to, 1u);
  EXPECT_EQ(there.kind, LinkKind::Fabric);
  EXPECT_EQ(there.hops, 1u);
  EXPECT_EQ(there.weight, 15u);
  EXPECT_EQ(there.accessible, true);
  EXPECT_EQ(there.bytesPerSecond, 100'000'000'000u);
  EXPECT_FALSE(source_->links()[1].weight || source_->links()[1].accessible || source_->links()[1].bytesPerSecond);
}

INSTANTIATE_TEST_SUITE_P(Ages, AmdSmiSource,
                         ::testing::Values(Age{"libfake_amd_smi_24_4.so", "24.4.2", false, false, false, ""},
                                           Age{"libfake_amd_smi_24_7.so", "24.7.2", true, false, false, "gfx942"},
                                           Age{"libfake_amd_smi_26_2.so", "26.2.2", true, true, true, "gfx90a"},
                                           Age{"libfake_amd_smi_27_1.so", "27.1.2", true, true, true, "gfx90a"}),
                         [](const auto& info) {
                           std::string name = info.param.version;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(AmdSmiLibrary, OfTheClientIsNotASource) {
  SourcePtr source;
  const Status status = amdsmi::open(CLIENT_LIBRARY, source);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("asks a worker"), std::string::npos) << status.message();
}

TEST(AmdSmiLibrary, ThatIsNotThereIsNamed) {
  SourcePtr source;
  const Status status = amdsmi::open("/nowhere/libamd_smi.so", source);
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_NE(status.message().find("/nowhere/libamd_smi.so"), std::string::npos) << status.message();
}

amdsmi::Version versionOfWords(std::initializer_list<std::uint32_t> words) {
  amdsmi::Answer answer;
  std::copy(words.begin(), words.end(), static_cast<std::uint32_t*>(answer.data()));
  return versionFrom(answer);
}

TEST(AmdSmiVersion, ReadsTheWordsOfItsTime) {
  EXPECT_EQ(versionOfWords({24, 5, 2, 0}).text(), "24.5.2");
  EXPECT_EQ(versionOfWords({25, 25, 4, 1}).text(), "25.4.1");
  EXPECT_EQ(versionOfWords({26, 2, 1}).text(), "26.2.1");
}

TEST(AmdSmiVersion, ThatNobodyKnowsIsReadWhereNothingEverMoved) {
  const amdsmi::Layout layout = amdsmi::layoutOf({28, 0, 0});
  EXPECT_EQ(layout.process.size, 0);
  EXPECT_EQ(layout.metrics.socketPower.width, 0);
  EXPECT_EQ(layout.vram.megabytes.width, 0);
  EXPECT_GT(layout.asic.name.size, 0);
}

TEST(AmdSmiVersion, ChangedLayoutsWithinOneSoname) {
  EXPECT_EQ(amdsmi::layoutOf({25, 4, 0}).process.computeUnits.width, 0);
  EXPECT_EQ(amdsmi::layoutOf({25, 5, 0}).process.computeUnits.at, 656);
  EXPECT_EQ(amdsmi::layoutOf({24, 5, 2}).asic.name.size, 64);
  EXPECT_EQ(amdsmi::layoutOf({24, 6, 0}).asic.name.size, 256);
}

}  // namespace
}  // namespace hipr::telemetry
