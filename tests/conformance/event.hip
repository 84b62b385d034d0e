// Events: timing that moves forward, queries before and after, re-recording, flags, and what is refused.
#include "support.h"

#include <thread>

__global__ void spin(int rounds, unsigned* out) {
  unsigned x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

TEST(elapsed_time_is_positive_and_adds_up) {
  Buffer<unsigned> out(64);
  Event a, b, c;
  HIP(hipEventRecord(a, nullptr));
  spin<<<1, 64>>>(20000, out);
  HIP(hipEventRecord(b, nullptr));
  spin<<<1, 64>>>(20000, out);
  HIP(hipEventRecord(c, nullptr));
  HIP(hipEventSynchronize(c));
  float ab = -1, bc = -1, ac = -1;
  HIP(hipEventElapsedTime(&ab, a, b));
  HIP(hipEventElapsedTime(&bc, b, c));
  HIP(hipEventElapsedTime(&ac, a, c));
  EXPECT(ab > 0);
  EXPECT(bc > 0);
  EXPECT_NEAR(ac, ab + bc, 0.01 + ac * 0.01);
  float self = -1, back = 1;
  HIP(hipEventElapsedTime(&self, b, b));
  EXPECT_EQ(self, 0.0f);
  HIP(hipEventElapsedTime(&back, c, a));
  EXPECT_NEAR(back, -ac, 0.001);
}

TEST(elapsed_time_measures_the_device) {
  Buffer<unsigned> out(64);
  Event a, b;
  spin<<<1, 64>>>(1, out);
  HIP(hipDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  HIP(hipEventRecord(a, nullptr));
  spin<<<1, 64>>>(200000, out);
  HIP(hipEventRecord(b, nullptr));
  HIP(hipEventSynchronize(b));
  const double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  float ms = -1;
  HIP(hipEventElapsedTime(&ms, a, b));
  EXPECT(ms > 0);
  EXPECT(ms <= wall * 1.05 + 0.1);
}

TEST(query_and_synchronize) {
  Event e;
  HIP(hipEventQuery(e));  // never recorded: nothing to wait for
  HIP(hipEventSynchronize(e));
  Stream s;
  {
    Gate gate(s);
    HIP(hipEventRecord(e, s));
    HIP_ERR(hipEventQuery(e), hipErrorNotReady);
    gate.open();
    HIP(hipEventSynchronize(e));
  }
  HIP(hipEventQuery(e));
}

TEST(recording_again_moves_the_event) {
  Stream s;
  Event e;
  HIP(hipEventRecord(e, s));
  HIP(hipEventSynchronize(e));
  HIP(hipEventQuery(e));
  Gate gate(s);
  HIP(hipEventRecord(e, s));
  HIP_ERR(hipEventQuery(e), hipErrorNotReady);
  gate.open();
  HIP(hipEventSynchronize(e));
}

TEST(flags) {
  for (unsigned f :
       {hipEventDefault, hipEventBlockingSync, hipEventDisableTiming, hipEventBlockingSync | hipEventDisableTiming}) {
    Event e(f);
    HIP(hipEventRecord(e, nullptr));
    HIP(hipEventSynchronize(e));
    HIP(hipEventQuery(e));
  }
  for (unsigned f : {hipEventReleaseToDevice * 1u, hipEventReleaseToSystem}) {
    Event e(f);
    HIP(hipEventRecord(e, nullptr));
    HIP(hipEventSynchronize(e));
  }
  hipEvent_t e = nullptr;
  HIP_ERR(hipEventCreateWithFlags(&e, 0x08000000), hipErrorInvalidValue);
  HIP_ERR(hipEventCreateWithFlags(&e, hipEventReleaseToDevice | hipEventReleaseToSystem), hipErrorInvalidValue);
  HIP_ERR(hipEventCreateWithFlags(&e, hipEventInterprocess), hipErrorInvalidValue);  // needs DisableTiming too
  HIP_ERR(hipEventCreate(nullptr), hipErrorInvalidValue);
}

TEST(elapsed_time_errors) {
  Event a, b, c, untimed(hipEventDisableTiming);
  float ms = 0;
  HIP_ERR(hipEventElapsedTime(&ms, a, b), hipErrorInvalidHandle);  // never recorded
  HIP(hipEventRecord(a, nullptr));
  HIP(hipEventRecord(b, nullptr));
  HIP(hipEventRecord(untimed, nullptr));
  HIP(hipDeviceSynchronize());
  HIP_ERR(hipEventElapsedTime(nullptr, a, b), hipErrorInvalidValue);
  HIP_ERR(hipEventElapsedTime(&ms, nullptr, b), hipErrorInvalidHandle);
  HIP_ERR(hipEventElapsedTime(&ms, a, nullptr), hipErrorInvalidHandle);
  HIP_ERR(hipEventElapsedTime(&ms, a, untimed), hipErrorInvalidHandle);
  HIP_ERR(hipEventElapsedTime(&ms, a, c), hipErrorInvalidHandle);
  Stream s;
  Gate gate(s);
  HIP(hipEventRecord(c, s));
  HIP_ERR(hipEventElapsedTime(&ms, a, c), hipErrorNotReady);
}

TEST(null_events) {
  HIP_FAILS(hipEventRecord(nullptr, nullptr));
  HIP_FAILS(hipEventQuery(nullptr));
  HIP_FAILS(hipEventSynchronize(nullptr));
  HIP_ERR(hipEventDestroy(nullptr), hipErrorInvalidHandle);
  hipEvent_t e = nullptr;
  HIP(hipEventCreate(&e));
  HIP(hipEventDestroy(e));
  HIP_ERR(hipEventDestroy(e), hipErrorContextIsDestroyed);
}

TEST(events_between_threads) {
  Buffer<unsigned> out(64);
  Stream s;
  Event e;
  spin<<<1, 64, 0, s>>>(50000, out);
  HIP(hipEventRecord(e, s));
  hipError_t there = hipErrorUnknown, after = hipErrorUnknown;
  std::thread([&] {
    there = hipEventSynchronize(e);
    after = hipStreamQuery(s);
  }).join();
  EXPECT_EQ(there, hipSuccess);
  EXPECT_EQ(after, hipSuccess);
}

TEST(destroyed_while_pending) {
  Stream s;
  Gate gate(s);
  hipEvent_t e = nullptr;
  HIP(hipEventCreate(&e));
  HIP(hipEventRecord(e, s));
  HIP(hipEventDestroy(e));
  gate.open();
  HIP(hipStreamSynchronize(s));
}

TEST(many_events) {
  std::vector<hipEvent_t> all(300);
  Stream s;
  for (auto& e : all) {
    HIP(hipEventCreate(&e));
    HIP(hipEventRecord(e, s));
  }
  HIP(hipEventSynchronize(all.back()));
  for (auto e : all) HIP(hipEventQuery(e));
  for (std::size_t i = 1; i < all.size(); ++i) {
    float ms = -1;
    HIP(hipEventElapsedTime(&ms, all[i - 1], all[i]));
    EXPECT(ms >= 0);
  }
  for (auto e : all) HIP(hipEventDestroy(e));
}
