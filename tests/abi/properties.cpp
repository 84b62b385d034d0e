// Both device property structures: each function fills exactly its own size, fields stand at their documented offsets.
#include "hip_abi.h"

constexpr std::size_t kOldSize = 792, kNewSize = 1472;
constexpr unsigned char kCanary = 0xc7;

struct Room {  // a structure with canary bytes behind it
  unsigned char bytes[kNewSize + 1024];
  Room() { std::memset(bytes, kCanary, sizeof bytes); }
  bool untouchedFrom(std::size_t offset) const {
    for (std::size_t i = offset; i < sizeof bytes; ++i)
      if (bytes[i] != kCanary) return false;
    return true;
  }
  std::string text(std::size_t offset) const { return reinterpret_cast<const char*>(bytes) + offset; }
};

static void checkOld(const Room& r) {
  EXPECT(r.untouchedFrom(kOldSize));
  EXPECT(!r.text(0).empty() && r.text(0).size() < 256);
  EXPECT(field<std::size_t>(r.bytes, 256) >= std::size_t(64) << 20);  // totalGlobalMem
  EXPECT_EQ(field<std::size_t>(r.bytes, 264), std::size_t(65536));    // sharedMemPerBlock
  EXPECT_EQ(field<int>(r.bytes, 276), 64);                            // warpSize
  EXPECT_EQ(field<int>(r.bytes, 280), 1024);                          // maxThreadsPerBlock
  EXPECT_EQ(field<int>(r.bytes, 328), 9);                             // major
  EXPECT_EQ(field<int>(r.bytes, 332), 0);                             // minor
  EXPECT(field<int>(r.bytes, 336) >= 1);                              // multiProcessorCount
  EXPECT(r.text(396).rfind("gfx90a", 0) == 0);                        // gcnArchName
  EXPECT_EQ(field<int>(r.bytes, 656), 1);                             // cooperativeLaunch
  EXPECT_EQ(field<int>(r.bytes, 772), 1);                             // managedMemory
  check::result(r.text(0));
  check::result(field<std::size_t>(r.bytes, 256));
}

TEST(plain_symbol_fills_792_bytes) {
  Room r;
  OK(hipGetDeviceProperties(r.bytes, 0));
  checkOld(r);
  IS(hipGetDeviceProperties(r.bytes, 1000), kInvalidDevice);
  IS(hipGetDeviceProperties(nullptr, 0), kInvalidValue);
}

TEST(choose_device_takes_the_old_structure) {
  Room r;
  OK(hipGetDeviceProperties(r.bytes, 0));
  int d = -1;
  OK(hipChooseDevice(&d, r.bytes));
  EXPECT(d >= 0);
}

#if ABI >= 6
extern "C" int hipChooseDeviceR0000(int*, const void* prop);

// By its number the old structure is what it was under the plain name.
TEST(choose_device_by_the_number_of_the_structure) {
  Room r;
  OK(hipGetDevicePropertiesR0000(r.bytes, 0));
  int plain = -1, numbered = -2;
  OK(hipChooseDevice(&plain, r.bytes));
  OK(hipChooseDeviceR0000(&numbered, r.bytes));
  EXPECT_EQ(numbered, plain);
  IS(hipChooseDeviceR0000(nullptr, r.bytes), kInvalidValue);
  IS(hipChooseDeviceR0000(&numbered, nullptr), kInvalidValue);
  check::result(numbered);
}

TEST(new_symbol_fills_1472_bytes) {
  Room r, old;
  OK(hipGetDevicePropertiesR0600(r.bytes, 0));
  OK(hipGetDeviceProperties(old.bytes, 0));
  EXPECT(r.untouchedFrom(kNewSize));
  EXPECT_EQ(r.text(0), old.text(0));
  EXPECT(std::memcmp(r.bytes + 256, std::string(16, '\0').data(), 16) != 0);        // uuid
  EXPECT_EQ(field<std::size_t>(r.bytes, 288), field<std::size_t>(old.bytes, 256));  // totalGlobalMem
  EXPECT_EQ(field<std::size_t>(r.bytes, 296), std::size_t(65536));                  // sharedMemPerBlock
  EXPECT_EQ(field<int>(r.bytes, 308), 64);                                          // warpSize
  EXPECT_EQ(field<int>(r.bytes, 320), 1024);                                        // maxThreadsPerBlock
  EXPECT_EQ(field<int>(r.bytes, 336), field<int>(old.bytes, 296));                  // maxGridSize[0]
  EXPECT_EQ(field<int>(r.bytes, 360), 9);                                           // major
  EXPECT_EQ(field<int>(r.bytes, 364), 0);                                           // minor
  EXPECT_EQ(field<int>(r.bytes, 388), field<int>(old.bytes, 336));                  // multiProcessorCount
  EXPECT_EQ(field<int>(r.bytes, 584), field<int>(old.bytes, 368));                  // pciBusID
  EXPECT_EQ(field<int>(r.bytes, 604), 1);                                           // unifiedAddressing
  EXPECT_EQ(field<int>(r.bytes, 652), 1);                                           // managedMemory
  EXPECT_EQ(field<int>(r.bytes, 688), 1);                                           // cooperativeLaunch
  EXPECT_EQ(r.text(1160), old.text(396));                                           // gcnArchName
  int warp = 0;
  OK(hipDeviceGetAttribute(&warp, 87, 0));
  EXPECT_EQ(warp, 64);
}

TEST(named_old_symbol) {
  Room r;
  OK(hipGetDevicePropertiesR0000(r.bytes, 0));
  checkOld(r);
}

TEST(choose_device_with_the_new_structure) {
  Room r;
  OK(hipGetDevicePropertiesR0600(r.bytes, 0));
  int d = -1;
  OK(hipChooseDeviceR0600(&d, r.bytes));
  EXPECT(d >= 0);
}
#endif

TEST(runtime_version_is_of_this_abi) {
  int v = 0;
  OK(hipRuntimeGetVersion(&v));
  EXPECT_EQ(v / 10000000, ABI);
}
