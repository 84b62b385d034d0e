#include "worker/compute_part.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>

namespace hipr::worker {
namespace {

Platform gpus(int count, int units, const char* arch = "gfx942") {
  Platform platform;
  for (int i = 0; i < count; ++i) {
    DeviceInfo& device = platform.devices.emplace_back();
    device.props.multiProcessorCount = units;
    device.props.pciBusID = i;
    std::snprintf(device.props.gcnArchName, sizeof device.props.gcnArchName, "%s", arch);
  }
  return platform;
}

class Compute : public ::testing::Test {
 protected:
  Compute() {
    char name[] = "/tmp/compute-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Compute() override {
    std::filesystem::remove_all(folder_);
    for (const char* name : {"HSA_CU_MASK", "HIP_REMOTE_SOFTGPU_COMPUTE", "HIP_REMOTE_SOFTGPU_COMPUTE_GROUP"})
      unsetenv(name);
  }
  std::string folder_;
};

TEST(ComputeUnits, AtLeastOneAndNeverMoreThanThereAre) {
  EXPECT_EQ(unitsFor(304, 50), 152u);
  EXPECT_EQ(unitsFor(110, 33), 36u);
  EXPECT_EQ(unitsFor(104, 100), 104u);
  EXPECT_EQ(unitsFor(8, 1), 1u);
}

TEST_F(Compute, NothingIsLimitedUnlessAsked) {
  Platform platform = gpus(1, 104);
  ComputeParts parts;
  ASSERT_TRUE(parts.take(100, 100, folder_, false, platform).ok());
  EXPECT_FALSE(parts.limited());
  EXPECT_EQ(platform.devices[0].props.multiProcessorCount, 104);
  parts.of(0).tellRuntime({0});
  EXPECT_EQ(getenv("HSA_CU_MASK"), nullptr);
}

TEST_F(Compute, WorkersOfOneMachineTakeDifferentUnits) {
  Platform platform = gpus(2, 100);
  auto first = std::make_unique<ComputeParts>();
  ASSERT_TRUE(first->take(50, 100, folder_, false, platform).ok());
  EXPECT_EQ(platform.devices[1].props.multiProcessorCount, 50);
  EXPECT_EQ(first->of(0).devices[0].list(), "0-49");
  ComputeParts second, third;
  platform = gpus(2, 100);
  ASSERT_TRUE(second.take(30, 100, folder_, false, platform).ok());
  EXPECT_EQ(second.of(0).devices[1].list(), "50-79");
  first.reset();  // a worker that ends gives its units back
  platform = gpus(2, 100);
  ASSERT_TRUE(third.take(40, 100, folder_, false, platform).ok());
  EXPECT_EQ(third.of(3).devices[0].list(), "0-39");  // whatever the seat: sessions of a worker share its part
}

TEST_F(Compute, SessionsWithALimitLieBesideEachOther) {
  Platform platform = gpus(1, 100);
  ComputeParts parts;
  ASSERT_TRUE(parts.take(50, 20, folder_, false, platform).ok());
  EXPECT_EQ(platform.devices[0].props.multiProcessorCount, 20);
  EXPECT_EQ(parts.of(0).devices[0].list(), "0-19");
  EXPECT_EQ(parts.of(1).devices[0].list(), "20-39");
  EXPECT_EQ(parts.of(2).devices[0].list(), "0-19");
}

TEST_F(Compute, TheRuntimeIsTold) {
  Platform platform = gpus(2, 32, "gfx1100");
  ComputeParts parts;
  ASSERT_TRUE(parts.take(25, 100, folder_, false, platform).ok());
  parts.use(folder_ + "/group");
  parts.of(0).tellRuntime({1, 0});
  EXPECT_STREQ(getenv("HSA_CU_MASK"), "1:0-15;0:0-15");  // pairs
  EXPECT_STREQ(getenv("HIP_REMOTE_SOFTGPU_COMPUTE"), "100");
  EXPECT_EQ(getenv("HIP_REMOTE_SOFTGPU_COMPUTE_GROUP"), "25:" + folder_ + "/group");
}

TEST_F(Compute, AMaskOfAClientCountsFromItsOwnUnits) {
  const ComputeUnits units{60, 40, 70, 1};  // 60-69 and 0-29
  EXPECT_EQ(units.list(), "60-69,0-29");
  EXPECT_EQ(units.translate({0x00000c01}), (std::vector<std::uint32_t>{0x3, 0x10000000, 0}));
  // What lies beyond them does not exist.
  EXPECT_EQ(units.translate({0, 0, 0, ~0u}), (std::vector<std::uint32_t>{0, 0, 0}));
}

TEST_F(Compute, WhatCannotBeLimitedIsRefused) {
  Platform platform = gpus(1, 132, "sm_90");
  ComputeParts parts;
  EXPECT_EQ(parts.take(50, 100, folder_, false, platform).code(), Code::kUnsupported);
  setenv("HIP_VISIBLE_DEVICES", "0", 1);
  platform = gpus(1, 104);
  EXPECT_EQ(ComputeParts().take(50, 100, folder_, false, platform).code(), Code::kInvalid);
  EXPECT_TRUE(ComputeParts().take(50, 100, folder_, true, platform).ok());
  unsetenv("HIP_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace hipr::worker
