// Advice and prefetches that name a place instead of a device, HIP 7; and ranges discarded by the driver's calls.
// ABIs: 7
#include "objects.h"

struct Location {
  int type, id;
};

extern "C" {
int hipMemAdvise_v2(const void*, std::size_t, int advice, Location);
int hipMemPrefetchAsync_v2(const void*, std::size_t, Location, unsigned flags, void* stream);
int hipMemRangeGetAttribute(void* data, std::size_t, int attribute, const void*, std::size_t);
int hipDrvMemDiscardBatchAsync(void**, std::size_t*, std::size_t, unsigned long long flags, void* stream);
int hipDrvMemDiscardAndPrefetchBatchAsync(void**, std::size_t*, std::size_t, Location*, std::size_t*, std::size_t,
                                          unsigned long long flags, void* stream);
}

enum : int {
  kOnDevice = 1,
  kOnHost = 2,
  kOnNode = 3,
  kSetReadMostly = 1,
  kSetPreferred = 3,
  kUnsetPreferred = 4,
  kSetAccessedBy = 5,
  kReadMostly = 1,
  kPreferred = 2,
  kAccessedBy = 3,
  kLastPrefetch = 4,
  kCpu = -1,
  kNowhere = -2,
  kNotSupported = 801
};

struct Managed {
  void* at = nullptr;
  Managed() {
    OK(hipMallocManaged(&at, 8192, 1));
    std::memset(at, 3, 8192);
  }
  ~Managed() { (void)hipFree(at); }
  int ask(int attribute) const {
    int value = -99;
    OK(hipMemRangeGetAttribute(&value, sizeof value, attribute, at, 8192));
    return value;
  }
};

TEST(advice) {
  Managed memory;
  OK(hipMemAdvise_v2(memory.at, 8192, kSetReadMostly, {kOnDevice, 0}));
  EXPECT_EQ(memory.ask(kReadMostly), 1);
  EXPECT_EQ(memory.ask(kPreferred), int(kNowhere));
  OK(hipMemAdvise_v2(memory.at, 8192, kSetPreferred, {kOnDevice, 0}));
  EXPECT_EQ(memory.ask(kPreferred), 0);
  OK(hipMemAdvise_v2(memory.at, 8192, kSetPreferred, {kOnHost, 0}));
  EXPECT_EQ(memory.ask(kPreferred), int(kCpu));
  OK(hipMemAdvise_v2(memory.at, 8192, kUnsetPreferred, {kOnHost, 0}));
  EXPECT_EQ(memory.ask(kPreferred), int(kNowhere));
  OK(hipMemAdvise_v2(memory.at, 8192, kSetAccessedBy, {kOnDevice, 0}));
  EXPECT_EQ(memory.ask(kAccessedBy), 0);
  IS(hipMemAdvise_v2(memory.at, 8192, kSetPreferred, {0, 0}), kInvalidValue);  // no place
  IS(hipMemAdvise_v2(memory.at, 8192, kSetPreferred, {kOnDevice, 99}), kInvalidDevice);
  IS(hipMemAdvise_v2(memory.at, 0, kSetPreferred, {kOnDevice, 0}), kInvalidValue);
  IS(hipMemAdvise_v2(memory.at, 8193, kSetPreferred, {kOnDevice, 0}), kInvalidValue);
  IS(hipMemAdvise_v2(memory.at, 8192, 77, {kOnDevice, 0}), kInvalidValue);
}

TEST(prefetches) {
  Managed memory;
  Stream stream;
  EXPECT_EQ(memory.ask(kLastPrefetch), int(kNowhere));
  OK(hipMemPrefetchAsync_v2(memory.at, 8192, {kOnDevice, 0}, 0, stream.handle));
  EXPECT_EQ(memory.ask(kLastPrefetch), 0);
  OK(hipMemPrefetchAsync_v2(memory.at, 8192, {kOnNode, 0}, 0, nullptr));
  EXPECT_EQ(memory.ask(kLastPrefetch), int(kCpu));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_EQ(int(static_cast<char*>(memory.at)[8191]), 3);
  IS(hipMemPrefetchAsync_v2(memory.at, 8192, {kOnDevice, 0}, 1, stream.handle), kInvalidValue);
  IS(hipMemPrefetchAsync_v2(memory.at, 8192, {0, 0}, 0, stream.handle), kInvalidValue);
  IS(hipMemPrefetchAsync_v2(memory.at, 8192, {kOnDevice, 99}, 0, stream.handle), kInvalidDevice);
  IS(hipMemPrefetchAsync_v2(nullptr, 8192, {kOnDevice, 0}, 0, stream.handle), kInvalidValue);
}

TEST(discarded_ranges) {
  Managed memory;
  Stream stream;
  void* ranges[] = {memory.at, static_cast<char*>(memory.at) + 4096};
  std::size_t sizes[] = {4096, 4096}, starts[] = {0, 1};
  Location places[] = {{kOnDevice, 0}, {kOnHost, 0}};
  OK(hipDrvMemDiscardBatchAsync(ranges, sizes, 2, 0, stream.handle));
  OK(hipDrvMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, places, starts, 2, 0, stream.handle));
  int first = -9, second = -9;
  OK(hipMemRangeGetAttribute(&first, sizeof first, kLastPrefetch, ranges[0], 4096));
  OK(hipMemRangeGetAttribute(&second, sizeof second, kLastPrefetch, ranges[1], 4096));
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, int(kCpu));
  OK(hipStreamSynchronize(stream.handle));
  std::memset(memory.at, 5, 8192);  // what is written afterwards is kept
  OK(hipMemset(ranges[1], 6, 1));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(int(static_cast<char*>(memory.at)[4095]), 5);
  EXPECT_EQ(int(static_cast<char*>(memory.at)[4096]), 6);
  const auto both = [&](void** r, std::size_t* s, std::size_t n, unsigned flags, void* on, int error) {
    IS(hipDrvMemDiscardBatchAsync(r, s, n, flags, on), error);
    IS(hipDrvMemDiscardAndPrefetchBatchAsync(r, s, n, places, starts, 1, flags, on), error);
  };
  both(nullptr, sizes, 2, 0, stream.handle, kInvalidValue);
  both(ranges, nullptr, 2, 0, stream.handle, kInvalidValue);
  both(ranges, sizes, 0, 0, stream.handle, kInvalidValue);
  both(ranges, sizes, 2, 1, stream.handle, kInvalidValue);
  both(ranges, sizes, 2, 0, nullptr, kInvalidValue);  // the null stream is not one of them
  Memory plain;
  both(&plain.at, sizes, 1, 0, stream.handle, kNotSupported);  // not managed
}
