// Devices, their properties and peers.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

// The older layouts are larger than the newest one; the rows write whichever their soname has.
union AnyProperties {
  hipDeviceProp_tR0600 newest;
  hipDeviceProp_tR0000 oldest;
  char room[4096];
};

}  // namespace

void addDeviceRows(Book& book) {
  ROW(hipChooseDevice).standard([](Scene& s, auto f) {
    AnyProperties properties{};
    int device = -1;
    s.call(f, &device, &properties.oldest);
  });
  ROW(hipChooseDeviceR0000).standard([](Scene& s, auto f) {
    AnyProperties properties{};
    int device = -1;
    s.call(f, &device, &properties.oldest);
  });
  ROW(hipChooseDeviceR0600).standard([](Scene& s, auto f) {
    AnyProperties properties{};
    int device = -1;
    s.call(f, &device, &properties.newest);
  });
  ROW(hipGetDeviceProperties).standard([](Scene& s, auto f) {
    AnyProperties properties;
    s.call(f, &properties.oldest, 0);
  });
  ROW(hipGetDevicePropertiesR0000).standard([](Scene& s, auto f) {
    AnyProperties properties;
    s.call(f, &properties.oldest, 0);
  });
  ROW(hipGetDevicePropertiesR0600).standard([](Scene& s, auto f) {
    AnyProperties properties;
    s.call(f, &properties.newest, 0);
  });
  ROW(hipDeviceCanAccessPeer).standard([](Scene& s, auto f) {
    int can = 0;
    s.call(f, &can, 0, 1);
  });
  ROW(hipDeviceComputeCapability).standard([](Scene& s, auto f) {
    int major = 0, minor = 0;
    s.call(f, &major, &minor, 0);
  });
  ROW(hipDeviceEnablePeerAccess).standard([](Scene& s, auto f) {
    s.call(f, 1, 0u);
    HIPR_OK(s, hipDeviceDisablePeerAccess(1));
  });
  ROW(hipDeviceDisablePeerAccess).standard([](Scene& s, auto f) {
    HIPR_OK(s, hipDeviceEnablePeerAccess(1, 0));
    s.call(f, 1);
  });
  ROW(hipDeviceGet).standard([](Scene& s, auto f) {
    hipDevice_t device;
    s.call(f, &device, 1);
  });
  ROW(hipDeviceGetAttribute).standard([](Scene& s, auto f) {
    int value = 0;
    s.call(f, &value, hipDeviceAttributeWarpSize, 0);
  });
  ROW(hipDeviceGetByPCIBusId).standard([](Scene& s, auto f) {
    char name[64] = "";
    int device = -1;
    HIPR_OK(s, hipDeviceGetPCIBusId(name, sizeof name, 1));
    s.call(f, &device, static_cast<const char*>(name));
  });
  ROW(hipDeviceGetPCIBusId).standard([](Scene& s, auto f) {
    char name[64] = "";
    s.call(f, name, int{sizeof name}, 0);
  });
  ROW(hipDeviceGetCacheConfig).standard([](Scene& s, auto f) {
    hipFuncCache_t config;
    s.call(f, &config);
  });
  ROW(hipDeviceGetLimit).standard([](Scene& s, auto f) {
    std::size_t value = 0;
    s.call(f, &value, hipLimitMallocHeapSize);
  });
  ROW(hipDeviceSetLimit).standard([](Scene& s, auto f) { s.call(f, hipLimitMallocHeapSize, std::size_t{16 << 20}); });
  ROW(hipDeviceGetLuid).standard([](Scene& s, auto f) {
    char luid[16] = "";
    unsigned mask = 0;
    s.call(f, luid, &mask, 0);
  });
  ROW(hipDeviceGetName).standard([](Scene& s, auto f) {
    char name[256] = "";
    s.call(f, name, int{sizeof name}, 0);
  });
  ROW(hipDeviceGetP2PAttribute).standard([](Scene& s, auto f) {
    int value = 0;
    s.call(f, &value, hipDevP2PAttrAccessSupported, 0, 1);
  });
  ROW(hipDeviceGetSharedMemConfig).standard([](Scene& s, auto f) {
    hipSharedMemConfig config;
    s.call(f, &config);
  });
  ROW(hipDeviceGetStreamPriorityRange).standard([](Scene& s, auto f) {
    int least = 0, greatest = 0;
    s.call(f, &least, &greatest);
  });
  ROW(hipDeviceGetUuid).standard([](Scene& s, auto f) {
    hipUUID uuid;
    s.call(f, &uuid, 0);
  });
  ROW(hipDeviceReset)
      .standard("the only device in use: another session",
                [](Scene& s, auto f) {
                  HIPR_OK(s, hipDeviceReset());
                  HIPR_OK(s, hipSetDevice(1));
                  s.call(f);
                  s.prepare();
                })
      .standard("one of two", [](Scene& s, auto f) {
        s.call(f);
        s.renew();
      });
  ROW(hipDeviceSetCacheConfig).standard([](Scene& s, auto f) { s.call(f, hipFuncCachePreferL1); });
  ROW(hipDeviceSetSharedMemConfig).standard([](Scene& s, auto f) { s.call(f, hipSharedMemBankSizeFourByte); });
  ROW(hipDeviceSynchronize)
      .standard("behind a kernel", [](Scene& s, auto f) { s.behind([&] { s.launch(); }).call(f); })
      .standard("idle", [](Scene& s, auto f) { s.call(f); });
  ROW(hipDeviceTotalMem).standard([](Scene& s, auto f) {
    std::size_t bytes = 0;
    s.call(f, &bytes, 0);
  });
  ROW(hipDriverGetVersion).standard([](Scene& s, auto f) {
    int version = 0;
    s.call(f, &version);
  });
  ROW(hipRuntimeGetVersion).standard([](Scene& s, auto f) {
    int version = 0;
    s.call(f, &version);
  });
  ROW(hipExtGetLinkTypeAndHopCount).standard([](Scene& s, auto f) {
    std::uint32_t type = 0, hops = 0;
    s.call(f, 0, 1, &type, &hops);
  });
  ROW(hipGetDevice).standard([](Scene& s, auto f) {
    int device = -1;
    s.call(f, &device);
  });
  ROW(hipGetDeviceCount).standard([](Scene& s, auto f) {
    int count = 0;
    s.call(f, &count);
  });
  ROW(hipGetDeviceFlags).standard([](Scene& s, auto f) {
    unsigned flags = 0;
    s.call(f, &flags);
  });
  ROW(hipInit).standard([](Scene& s, auto f) { s.call(f, 0u); });
  ROW(hipInitDevice).standard([](Scene& s, auto f) { s.call(f, 0, unsigned{hipDeviceScheduleAuto}, 0u); });
  ROW(hipSetDevice).standard([](Scene& s, auto f) {
    s.call(f, 1);
    HIPR_OK(s, hipSetDevice(0));
  });
  ROW(hipSetDeviceFlags).standard([](Scene& s, auto f) { s.call(f, unsigned{hipDeviceScheduleAuto}); });
  ROW(hipSetValidDevices).standard([](Scene& s, auto f) {
    int devices[] = {0, 1};
    s.call(f, devices, 2);
  });
}

}  // namespace hipr::rows
