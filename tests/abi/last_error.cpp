// The last-error rules: until HIP 6 every call overwrites it; from 7 on only failures do, and NotReady is none.
#include <atomic>
#include <chrono>
#include <thread>

#include "hip_abi.h"

static void clear() {
  (void)hipGetLastError();
#if ABI >= 6
  (void)hipExtGetLastError();
#endif
}

TEST(reading_clears) {
  clear();
  IS(hipSetDevice(-1), kInvalidDevice);
  IS(hipPeekAtLastError(), kInvalidDevice);
  IS(hipGetLastError(), kInvalidDevice);
  IS(hipGetLastError(), kSuccess);
}

TEST(success_after_a_failure) {
  clear();
  IS(hipSetDevice(-1), kInvalidDevice);
  OK(hipSetDevice(0));
  IS(hipPeekAtLastError(), ABI >= 7 ? kInvalidDevice : kSuccess);
  int d = -1;
  OK(hipGetDevice(&d));
  IS(hipGetLastError(), ABI >= 7 ? kInvalidDevice : kSuccess);
  IS(hipGetLastError(), kSuccess);
}

TEST(the_latest_failure_wins) {
  clear();
  IS(hipSetDevice(-1), kInvalidDevice);
  IS(hipMalloc(nullptr, 4), kInvalidValue);
  IS(hipGetLastError(), kInvalidValue);
}

// A callback that holds its stream until it is let go, so that a query meets unfinished work.
static std::atomic<bool> letGo{false};
static void hold(void*, int, void*) {
  while (!letGo) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(not_ready) {
  void* s = nullptr;
  OK(hipStreamCreate(&s));
  OK(hipStreamAddCallback(s, hold, nullptr, 0));
  clear();
  IS(hipStreamQuery(s), kNotReady);
  IS(hipGetLastError(), ABI >= 7 ? kSuccess : kNotReady);
  letGo = true;
  OK(hipStreamSynchronize(s));
  OK(hipStreamDestroy(s));
}

#if ABI >= 6
TEST(extended_last_error) {
  clear();
  IS(hipSetDevice(-1), kInvalidDevice);
  IS(hipExtGetLastError(), kInvalidDevice);
  IS(hipExtGetLastError(), kSuccess);
  clear();
  IS(hipSetDevice(-1), kInvalidDevice);
  OK(hipSetDevice(0));
  IS(hipExtGetLastError(), kSuccess);  // the last call's own result, in both versions
}
#endif

TEST(names_leave_it_alone) {
  clear();
  IS(hipSetDevice(-1), kInvalidDevice);
  EXPECT_EQ(std::string(hipGetErrorName(kInvalidDevice)), std::string("hipErrorInvalidDevice"));
  IS(hipGetLastError(), kInvalidDevice);
}

TEST(one_per_thread) {
  clear();
  IS(hipSetDevice(-1), kInvalidDevice);
  int other = -1;
  std::thread([&] { other = hipGetLastError(); }).join();
  EXPECT_EQ(other, int(kSuccess));
  IS(hipGetLastError(), kInvalidDevice);
}
