#include "backends/softgpu/platform.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "backends/softgpu/device_list.h"

namespace hipr::softgpu {
namespace {

TEST(DeviceList, KindsAndCounts) {
  std::vector<Gpu> gpus;
  ASSERT_TRUE(parseDeviceList("gfx90a", gpus).ok());
  EXPECT_EQ(gpus, (std::vector{Gpu::kGfx90a}));
  ASSERT_TRUE(parseDeviceList("gfx90a,gfx942x2", gpus).ok());
  EXPECT_EQ(gpus, (std::vector{Gpu::kGfx90a, Gpu::kGfx942, Gpu::kGfx942}));
  ASSERT_TRUE(parseDeviceList("gfx90ax4", gpus).ok());
  EXPECT_EQ(gpus.size(), 4u);
  ASSERT_TRUE(parseDeviceList("none", gpus).ok());
  EXPECT_TRUE(gpus.empty());
  for (const char* wrong :
       {"", "gfx1030", "gfx90a,", "gfx90ax0", "gfx90ax", "gfx90ax65", "gfx90ax40,gfx942x40", "gfx90a x2"})
    EXPECT_FALSE(parseDeviceList(wrong, gpus).ok()) << wrong;
}

TEST(Platform, ADiscreteDeviceSaysSo) {
  Discrete discrete;
  ASSERT_TRUE(parseDiscrete("", "", discrete).ok());
  EXPECT_FALSE(discrete.on);
  ASSERT_TRUE(parseDiscrete("0", "abort", discrete).ok());
  EXPECT_FALSE(discrete.on);
  ASSERT_TRUE(parseDiscrete("placed", "abort", discrete).ok());
  EXPECT_TRUE(discrete.on && discrete.placesMemory && discrete.abortsOnViolation);
  for (const char* wrong : {"yes", "2", "Placed"}) EXPECT_FALSE(parseDiscrete(wrong, "", discrete).ok()) << wrong;
  EXPECT_FALSE(parseDiscrete("1", "warn", discrete).ok());

  ASSERT_TRUE(parseDiscrete("1", "", discrete).ok());
  const Gpu gpus[] = {Gpu::kGfx90a};
  const auto value = [&](const Platform& platform, hipDeviceAttribute_t attribute) {
    return platform.devices[0].attributes.get(attribute).value_or(-1);
  };
  for (const auto attribute : {hipDeviceAttributeIsLargeBar, hipDeviceAttributeVirtualMemoryManagementSupported,
                               hipDeviceAttributeDirectManagedMemAccessFromHost}) {
    EXPECT_EQ(value(describe(gpus, 1 << 30), attribute), 1);
    EXPECT_EQ(value(describe(gpus, 1 << 30, discrete), attribute), 0);
  }
  EXPECT_EQ(describe(gpus, 1 << 30, discrete).devices[0].props.isLargeBar, 0);
}

TEST(Platform, EveryAttributeOfHip7IsAnswered) {
  const Gpu gpus[] = {Gpu::kGfx90a, Gpu::kGfx942};
  const Platform platform = describe(gpus, std::size_t{8} << 30);
  // The numbers that HIP has retired are the only gaps.
  const std::set<int> retired = {hipDeviceAttributeUnused1, hipDeviceAttributeUnused2, hipDeviceAttributeUnused3,
                                 hipDeviceAttributeUnused4, hipDeviceAttributeUnused5};
  for (const DeviceInfo& device : platform.devices) {
    for (int i = 0; i <= hipDeviceAttributeGPUDirectRDMAWritesOrdering; ++i)
      EXPECT_EQ(device.attributes.get(i).has_value(), !retired.contains(i)) << i;
    for (int i = hipDeviceAttributeAmdSpecificBegin; i <= hipDeviceAttributeMaxDynDataPrefetchRegions; ++i)
      EXPECT_EQ(device.attributes.get(i).has_value(), !retired.contains(i)) << i;
  }
}

TEST(Platform, DevicesAreToldApart) {
  const Gpu gpus[] = {Gpu::kGfx90a, Gpu::kGfx90a, Gpu::kGfx942};
  const Platform platform = describe(gpus, std::size_t{1} << 30);
  std::set<std::string> uuids;
  std::set<int> buses;
  for (const DeviceInfo& device : platform.devices) {
    uuids.emplace(device.props.uuid.bytes, sizeof device.props.uuid.bytes);
    buses.insert(device.props.pciBusID);
    EXPECT_EQ(device.attributes.get(hipDeviceAttributePciBusId), device.props.pciBusID);
    EXPECT_EQ(device.attributes.get(hipDeviceAttributeMultiprocessorCount), device.props.multiProcessorCount);
    EXPECT_EQ(device.attributes.get(hipDeviceAttributeTotalGlobalMem), 1 << 30);
  }
  EXPECT_EQ(uuids.size(), 3u);
  EXPECT_EQ(buses.size(), 3u);
  EXPECT_STREQ(platform.devices[0].props.name, "Software GPU (gfx90a)");
  EXPECT_STREQ(platform.devices[2].props.gcnArchName, "gfx942:sramecc+:xnack-");
  EXPECT_TRUE(platform.peer(0, 2).canAccess);
  EXPECT_FALSE(platform.peer(1, 1).canAccess);
}

TEST(Platform, NoDeviceHasMoreMemoryThanItsModel) {
  const Gpu gpus[] = {Gpu::kGfx90a};
  EXPECT_EQ(describe(gpus, std::size_t{1} << 40).devices[0].props.totalGlobalMem, std::size_t{64} << 30);
}

}  // namespace
}  // namespace hipr::softgpu
