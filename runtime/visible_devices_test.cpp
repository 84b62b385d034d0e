#include "runtime/visible_devices.h"

#include <cstdlib>

#include "runtime/fake_core.h"

namespace hipr {
namespace {

using testing::fakePlatform;
using List = std::vector<int>;

class VisibleDevices : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name : {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) unsetenv(name);
  }
  VisibleDevices() {
    for (const DeviceInfo& device : platform.devices) row.push_back(&device);
  }
  Platform platform = fakePlatform(4);
  DeviceRow row;
  List all{0, 1, 2, 3};
};

TEST_F(VisibleDevices, ListsOfNumbers) {
  EXPECT_EQ(filterDevices(row, all, "2,0"), (List{2, 0}));
  EXPECT_EQ(filterDevices(row, all, " 1 , 3 "), (List{1, 3}));
  EXPECT_EQ(filterDevices(row, all, "1,1,2"), (List{1, 2}));
}

TEST_F(VisibleDevices, EndsAtTheFirstInvalidEntry) {
  EXPECT_EQ(filterDevices(row, all, "1,9,2"), (List{1}));
  EXPECT_EQ(filterDevices(row, all, "0,x,2"), (List{0}));
  EXPECT_EQ(filterDevices(row, all, "-1"), (List{}));
  EXPECT_EQ(filterDevices(row, all, ""), (List{}));
}

TEST_F(VisibleDevices, Uuids) {
  EXPECT_EQ(filterDevices(row, all, "GPU-abcdef0123456783,GPU-abcdef0123456780"), (List{3, 0}));
  EXPECT_EQ(filterDevices(row, all, "GPU-ABCDEF0123456781"), (List{1}));
  EXPECT_EQ(filterDevices(row, all, "0,GPU-0000000000000000,1"), (List{0}));
}

TEST_F(VisibleDevices, VariablesCountInWhatTheOneBeforeLeft) {
  EXPECT_EQ(visibleDevices(row), all);
  setenv("ROCR_VISIBLE_DEVICES", "1,2,3", 1);
  setenv("HIP_VISIBLE_DEVICES", "2,0", 1);
  EXPECT_EQ(visibleDevices(row), (List{3, 1}));
}

TEST_F(VisibleDevices, HipBeforeCuda) {
  setenv("CUDA_VISIBLE_DEVICES", "3", 1);
  EXPECT_EQ(visibleDevices(row), (List{3}));
  setenv("HIP_VISIBLE_DEVICES", "1", 1);
  EXPECT_EQ(visibleDevices(row), (List{1}));
  setenv("HIP_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(visibleDevices(row), (List{3}));
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(visibleDevices(row), all);
  setenv("ROCR_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(visibleDevices(row), (List{}));
}

}  // namespace
}  // namespace hipr
