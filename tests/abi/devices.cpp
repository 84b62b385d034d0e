// Calls about devices that came with HIP 6 and 7: which device a thread begins with, starting one, and its number on
// Windows.
// ABIs: 6 7
#include <thread>

#include "objects.h"

extern "C" {
int hipSetValidDevices(int* list, int count);
#if ABI >= 7
int hipInitDevice(int device, unsigned deviceFlags, unsigned flags);
int hipDeviceGetLuid(char* luid, unsigned* mask, int device);
int hipDevicePrimaryCtxGetState(int device, unsigned* flags, int* active);
int hipGetDeviceFlags(unsigned*);
#endif
}

static int deviceCount() {
  int count = 0;
  OK(hipGetDeviceCount(&count));
  return count;
}

// In a thread that has not chosen a device, which this one has.
TEST(the_device_a_thread_begins_with) {
  OK(hipSetDevice(0));
  const int last = deviceCount() - 1;
  int before = -1, listed = -1, reset = -1, chosen = -1, results[5] = {-1, -1, -1, -1, -1};
  std::thread([&] {
    int list[] = {last, 0};
    (void)hipGetDevice(&before);
    results[0] = hipSetValidDevices(list, last == 0 ? 1 : 2);
    (void)hipGetDevice(&listed);
    results[1] = hipSetValidDevices(nullptr, 0);  // any again
    (void)hipGetDevice(&reset);
    results[2] = hipSetDevice(last);
    results[3] = hipSetValidDevices(nullptr, 0);
    (void)hipGetDevice(&chosen);
    results[4] = hipSetDevice(0);
  }).join();
  for (int result : results) EXPECT_EQ(result, int(kSuccess));
  EXPECT_EQ(before, 0);
  EXPECT_EQ(listed, last);
  EXPECT_EQ(reset, 0);
  EXPECT_EQ(chosen, last);  // what was chosen stays
  int mine = -1;
  OK(hipGetDevice(&mine));
  EXPECT_EQ(mine, 0);
}

TEST(lists_of_no_devices) {
  int none[] = {0, 999}, negative[] = {-1};
  IS(hipSetValidDevices(none, 2), deviceCount() < 2 ? kInvalidValue : kInvalidDevice);
  IS(hipSetValidDevices(negative, 1), kInvalidDevice);
  IS(hipSetValidDevices(nullptr, 1), kInvalidValue);
  IS(hipSetValidDevices(none, -1), kInvalidValue);
  std::vector<int> many(deviceCount() + 1);
  IS(hipSetValidDevices(many.data(), int(many.size())), kInvalidValue);
}

#if ABI >= 7
TEST(starting_a_device) {
  constexpr unsigned kSpin = 1, kFlagsAreValid = 1;
  const int last = deviceCount() - 1;
  OK(hipInitDevice(last, 0, 0));
  unsigned flags = 99;
  int active = -1, current = -1;
  OK(hipDevicePrimaryCtxGetState(last, &flags, &active));
  EXPECT_EQ(active, 1);
  OK(hipGetDevice(&current));
  EXPECT_EQ(current, 0);  // unlike hipSetDevice
  OK(hipInitDevice(last, kSpin, kFlagsAreValid));
  OK(hipSetDevice(last));
  OK(hipGetDeviceFlags(&flags));
  EXPECT_EQ(flags, kSpin);
  OK(hipInitDevice(last, 0, kFlagsAreValid));
  OK(hipGetDeviceFlags(&flags));
  EXPECT_EQ(flags, 0u);
  OK(hipSetDevice(0));
  IS(hipInitDevice(last, 0x100, kFlagsAreValid), kInvalidValue);
  IS(hipInitDevice(last, 0, 2), kInvalidValue);
  IS(hipInitDevice(last + 1, 0, 0), kInvalidDevice);
  IS(hipInitDevice(-1, 0, 0), kInvalidDevice);
}

// Of the properties, where Linux leaves it empty.
TEST(numbers_on_windows) {
  unsigned char properties[1472];
  OK(hipGetDevicePropertiesR0600(properties, 0));
  char luid[8];
  std::memset(luid, 1, sizeof luid);
  unsigned mask = 99;
  OK(hipDeviceGetLuid(luid, &mask, 0));
  EXPECT(std::memcmp(luid, properties + 272, 8) == 0);
  EXPECT_EQ(mask, field<unsigned>(properties, 280));
  check::result(luid, 8);
  IS(hipDeviceGetLuid(nullptr, &mask, 0), kInvalidValue);
  IS(hipDeviceGetLuid(luid, nullptr, 0), kInvalidValue);
  IS(hipDeviceGetLuid(luid, &mask, deviceCount()), kInvalidDevice);
}
#endif
