#include <gtest/gtest.h>

#include "code_object/code_object.h"

namespace hipr::code {
namespace {

Kernel kernelOf(std::uint32_t vgprs, std::uint32_t sgprs, std::uint32_t lanes, bool bothHalves = false) {
  Kernel kernel;
  kernel.metadata.vgprCount = vgprs;
  kernel.metadata.sgprCount = sgprs;
  kernel.metadata.wavefrontSize = lanes;
  kernel.metadata.workgroupProcessorMode = bothHalves;
  return kernel;
}

// One wave each.
int waves(const char* target, const Kernel& kernel) {
  return kernel.groupsPerUnit({target, 64}, static_cast<int>(kernel.metadata.wavefrontSize));
}

TEST(Occupancy, WavesOfSmallKernels) {
  EXPECT_EQ(waves("gfx90a:sramecc+:xnack-", kernelOf(8, 16, 64)), 32);
  EXPECT_EQ(waves("gfx906:sramecc+:xnack-", kernelOf(8, 16, 64)), 32);
  EXPECT_EQ(waves("gfx1030", kernelOf(8, 16, 32)), 32);
  EXPECT_EQ(waves("gfx1030", kernelOf(8, 16, 32, true)), 64);
  EXPECT_EQ(waves("gfx90a", kernelOf(0, 0, 64)), 32);  // nothing is said
}

TEST(Occupancy, RegistersOfVectors) {
  struct {
    const char* target;
    std::uint32_t lanes, vgprs;
    int expected;
  } const cases[] = {
      {"gfx906", 64, 33, 28},    // 256 / 36 on each of four
      {"gfx90a", 64, 128, 16},   // 512 / 128
      {"gfx942", 64, 129, 12},   // 512 / 136
      {"gfx950", 64, 256, 8},    // 512 / 256
      {"gfx1010", 32, 100, 18},  // 1024 / 104 on each of two
      {"gfx1030", 32, 100, 18},  // 1024 / 112
      {"gfx1030", 32, 128, 16},  // 1024 / 128
      {"gfx1030", 64, 100, 8},   // 512 / 104
      {"gfx1100", 32, 100, 24},  // 1536 / 120
      {"gfx1100", 64, 100, 14},  // 768 / 108
      {"gfx1102", 32, 100, 18},  // 1024 / 112
      {"gfx1151", 32, 256, 10},  // 1536 / 264
      {"gfx1200", 32, 256, 8},   // 1024 / 256
  };
  for (const auto& c : cases) EXPECT_EQ(waves(c.target, kernelOf(c.vgprs, 0, c.lanes)), c.expected) << c.target;
}

TEST(Occupancy, RegistersOfScalars) {
  EXPECT_EQ(waves("gfx90a", kernelOf(8, 108, 64)), 28);   // 800 / 112 on each of four
  EXPECT_EQ(waves("gfx1030", kernelOf(8, 108, 32)), 32);  // every wave has its own
}

TEST(Occupancy, GroupsOfSeveralWaves) {
  EXPECT_EQ(kernelOf(8, 16, 64).groupsPerUnit({"gfx90a", 64}, 1024), 2);
  EXPECT_EQ(kernelOf(8, 16, 64).groupsPerUnit({"gfx90a", 64}, 65), 16);
  EXPECT_EQ(kernelOf(8, 16, 32).groupsPerUnit({"gfx1030", 32}, 1024), 1);
  EXPECT_EQ(kernelOf(8, 16, 32, true).groupsPerUnit({"gfx1030", 32}, 1024), 2);
}

}  // namespace
}  // namespace hipr::code
