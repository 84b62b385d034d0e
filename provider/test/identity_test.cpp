#include "provider/identity.h"

#include <gtest/gtest.h>

#include <set>

#include "provider/tflops.h"

namespace hipr::provider {
namespace {

telemetry::Gpu gpu(const std::string& uuid, const std::string& serial = "", const std::string& bdf = "0000:03:00.0") {
  telemetry::Gpu out;
  out.uuid = uuid;
  out.serial = serial;
  out.bdf = bdf;
  return out;
}

TEST(Identity, FitNames) {
  EXPECT_TRUE(fitName("amd-0123456789abcdef"));
  for (const char* bad : {"", "-a", "a-", "A", "a:b", "a.b", "gpu-1"}) EXPECT_FALSE(fitName(bad)) << bad;
  EXPECT_FALSE(fitName(std::string(64, 'a')));
}

TEST(Identity, EveryGpuGetsAFitNameOfItsOwn) {
  const auto names =
      deviceNames({gpu("amd-1"), gpu("amd-1", "", "0000:04:00.0"), gpu("amd-1", "", "0000:04:00.0"), gpu("", "7f00AB"),
                   gpu(""), gpu("", "", ""), gpu("", "", ""), gpu("GPU-" + std::string(100, 'Z')), gpu("gpu-55")});
  EXPECT_EQ(names[0], "amd-1");
  EXPECT_EQ(names[1], "amd-1-0000-04-00-0");
  EXPECT_EQ(names[3], "amd-7f00ab");
  EXPECT_EQ(names[8], "amd-gpu-55");
  std::set<std::string> different(names.begin(), names.end());
  EXPECT_EQ(different.size(), names.size());
  for (const std::string& name : names) EXPECT_TRUE(fitName(name)) << name;
}

TEST(Tflops, AreThoseOfTheDataSheets) {
  const auto rated = [](const char* target, unsigned units, unsigned mhz) {
    telemetry::Gpu gpu;
    gpu.target = target;
    gpu.computeUnits = units;
    gpu.maxEngineMHz = mhz;
    return maxTflops(gpu);
  };
  EXPECT_NEAR(rated("gfx942", 304, 2100), 1307.4, 0.1);  // MI300X, MI325X
  EXPECT_NEAR(rated("gfx942", 38, 2100), 163.4, 0.1);    // one eighth of it
  EXPECT_NEAR(rated("gfx90a", 104, 1700), 181.0, 0.1);   // MI210
  EXPECT_NEAR(rated("gfx950", 256, 2400), 2516.6, 0.1);  // MI355X
  EXPECT_NEAR(rated("gfx1100", 96, 2498), 122.8, 0.1);   // RX 7900 XTX
  telemetry::Gpu named;
  named.name = "AMD Instinct MI250X";
  EXPECT_NEAR(maxTflops(named), 191.5, 0.1);
  EXPECT_EQ(maxTflops(telemetry::Gpu{}), 0);
  named.origin = telemetry::Origin::Software;
  named.computeUnits = 104;
  EXPECT_LT(maxTflops(named), 1);
  EXPECT_GT(maxTflops(named), 0);
}

}  // namespace
}  // namespace hipr::provider
