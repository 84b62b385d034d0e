// Streams: flags and priorities, ordering between the null stream and others, events across streams, queries,
// callbacks.
#include "support.h"

#include <atomic>
#include <thread>

__global__ void add(int* p, int v) {
  *p += v;
}
__global__ void copyValue(const int* from, int* to) {
  *to = *from;
}

TEST(flags_and_priorities) {
  int least = 0, greatest = 0;
  HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  for (unsigned flags : {hipStreamDefault, hipStreamNonBlocking}) {
    for (int priority = greatest; priority <= least; ++priority) {
      hipStream_t s = nullptr;
      HIP(hipStreamCreateWithPriority(&s, flags, priority));
      unsigned f = 99;
      int p = 99;
      HIP(hipStreamGetFlags(s, &f));
      HIP(hipStreamGetPriority(s, &p));
      EXPECT_EQ(f, flags);
      EXPECT_EQ(p, priority);
      HIP(hipStreamDestroy(s));
    }
  }
  hipStream_t s = nullptr;
  HIP(hipStreamCreateWithPriority(&s, hipStreamDefault, greatest - 100));  // out of range: the nearest allowed
  int p = 99;
  HIP(hipStreamGetPriority(s, &p));
  EXPECT_EQ(p, greatest);
  HIP(hipStreamDestroy(s));
  unsigned f = 99;
  HIP_ERR(hipStreamGetFlags(nullptr, &f), hipErrorInvalidValue);
  HIP(hipStreamGetFlags(hipStreamPerThread, &f));
  EXPECT_EQ(f, unsigned(hipStreamDefault));
  HIP(hipStreamGetPriority(nullptr, &p));
  EXPECT_EQ(p, 0);
  check::result(least * 100 + greatest);
}

TEST(wrong_arguments) {
  HIP_ERR(hipStreamCreate(nullptr), hipErrorInvalidValue);
  hipStream_t s = nullptr;
  HIP_ERR(hipStreamCreateWithFlags(&s, 0x80), hipErrorInvalidValue);
  HIP_ERR(hipStreamCreateWithPriority(nullptr, 0, 0), hipErrorInvalidValue);
  HIP_ERR(hipStreamAddCallback(nullptr, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipStreamWaitEvent(nullptr, nullptr, 0), hipErrorInvalidHandle);
  HIP_FAILS(hipStreamDestroy(nullptr));
}

TEST(a_destroyed_stream_is_refused) {  // as long as HIP is older than 7
  hipStream_t s = nullptr;
  HIP(hipStreamCreate(&s));
  HIP(hipStreamDestroy(s));
  HIP_ERR(hipStreamSynchronize(s), hipErrorContextIsDestroyed);
  HIP_ERR(hipStreamQuery(s), hipErrorContextIsDestroyed);
  HIP_ERR(hipStreamDestroy(s), hipErrorContextIsDestroyed);
  Event e;
  HIP_ERR(hipEventRecord(e, s), hipErrorContextIsDestroyed);
  HIP_ERR(hipStreamWaitEvent(s, e, 0), hipErrorInvalidHandle);
  Stream other;
  HIP_ERR(hipStreamWaitEvent(other, e, 1u << 20), hipErrorInvalidValue);
}

TEST(work_of_one_stream_is_in_order) {
  Buffer<int> p(1), q(1);
  p.fill(0);
  Stream s;
  for (int i = 1; i <= 50; ++i) add<<<1, 1, 0, s>>>(p, i);
  copyValue<<<1, 1, 0, s>>>(p, q);
  add<<<1, 1, 0, s>>>(p, 1000);
  KERNEL_OK();
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(q.download()[0], 1275);
  EXPECT_EQ(p.download()[0], 2275);
}

TEST(query) {
  Stream s;
  HIP(hipStreamQuery(s));
  {
    Gate gate(s);
    HIP_ERR(hipStreamQuery(s), hipErrorNotReady);
    gate.open();
  }
  HIP(hipStreamSynchronize(s));
  HIP(hipStreamQuery(s));
  HIP(hipStreamQuery(nullptr));
}

// Asking the null stream is asking for everything that it would wait for.
TEST(query_of_the_null_stream) {
  HIP(hipDeviceSynchronize());
  HIP(hipStreamQuery(nullptr));
  Stream blocking, apart(hipStreamNonBlocking);
  {
    Gate gate(apart);
    HIP(hipStreamQuery(nullptr));
    EXPECT(gate.held());
  }
  {
    Gate gate(blocking);
    HIP_ERR(hipStreamQuery(nullptr), hipErrorNotReady);
    EXPECT(gate.held());
  }
  HIP(hipStreamSynchronize(nullptr));
  HIP(hipStreamQuery(blocking));
  HIP(hipStreamQuery(nullptr));
}

__global__ void takeLong(int* p, int rounds) {
  int v = *p;
  for (int i = 0; i < rounds; ++i) v = v * 1664525 + 1013904223;
  *p = v;
}

// Frees and copies without "Async" wait for the work before them, and a query afterwards must not say otherwise.
TEST(queries_after_calls_that_wait) {
  constexpr int kLong = 1 << 19;
  Buffer<int> p(1), q(64), r(64);
  std::vector<int> host(64, 1);
  p.fill(0);
  Stream s;
  Event e;
  const auto busy = [&](hipStream_t stream) {
    takeLong<<<1, 1, 0, stream>>>(p, kLong);
    KERNEL_OK();
  };
  void* extra = nullptr;
  HIP(hipMalloc(&extra, 4096));
  busy(s);
  HIP(hipEventRecord(e, s));
  HIP(hipFree(extra));
  HIP(hipStreamQuery(s));
  HIP(hipEventQuery(e));
  busy(nullptr);
  HIP(hipMemcpy(q, host.data(), q.bytes(), hipMemcpyHostToDevice));
  HIP(hipStreamQuery(nullptr));
  busy(nullptr);
  HIP(hipMemcpy2D(r, 16, q, 16, 16, 16, hipMemcpyDeviceToDevice));
  HIP(hipStreamQuery(nullptr));
  EXPECT_VEC(r.download(), host);
}

TEST(null_stream_waits_for_blocking_streams) {
  Buffer<int> p(1), q(1);
  p.fill(0);
  q.fill(0);
  HIP(hipDeviceSynchronize());
  Stream s;
  Gate gate(s);
  add<<<1, 1, 0, s>>>(p, 7);
  copyValue<<<1, 1>>>(p, q);  // null stream: after the held work in s
  KERNEL_OK();
  HIP_ERR(hipStreamQuery(nullptr), hipErrorNotReady);
  EXPECT(gate.held());
  gate.open();
  HIP(hipStreamSynchronize(nullptr));
  EXPECT_EQ(q.download()[0], 7);
}

TEST(blocking_streams_wait_for_the_null_stream) {
  Buffer<int> p(1), q(1);
  p.fill(0);
  q.fill(0);
  HIP(hipDeviceSynchronize());
  Stream s;
  Gate gate(nullptr);
  add<<<1, 1>>>(p, 9);
  copyValue<<<1, 1, 0, s>>>(p, q);
  KERNEL_OK();
  HIP_ERR(hipStreamQuery(s), hipErrorNotReady);
  EXPECT(gate.held());
  gate.open();
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(q.download()[0], 9);
}

TEST(non_blocking_streams_are_independent_of_the_null_stream) {
  Buffer<int> p(1), q(1);
  p.fill(0);
  q.fill(0);
  HIP(hipDeviceSynchronize());
  Stream s(hipStreamNonBlocking);
  {
    Gate gate(s);
    add<<<1, 1>>>(p, 1);
    KERNEL_OK();
    HIP(hipStreamSynchronize(nullptr));
    EXPECT(gate.held());
    gate.open();
  }
  HIP(hipStreamSynchronize(s));
  {
    Gate gate(nullptr);
    add<<<1, 1, 0, s>>>(q, 1);
    KERNEL_OK();
    HIP(hipStreamSynchronize(s));
    EXPECT(gate.held());
    gate.open();
  }
  EXPECT_EQ(p.download()[0], 1);
  EXPECT_EQ(q.download()[0], 1);
}

TEST(two_blocking_streams_are_independent) {
  Buffer<int> p(1);
  p.fill(0);
  HIP(hipDeviceSynchronize());
  Stream s, t;
  Gate gate(s);
  add<<<1, 1, 0, t>>>(p, 3);
  KERNEL_OK();
  HIP(hipStreamSynchronize(t));
  EXPECT(gate.held());
}

TEST(wait_event_orders_streams) {
  Buffer<int> p(1), q(1);
  p.fill(0);
  HIP(hipDeviceSynchronize());
  Stream s(hipStreamNonBlocking), t(hipStreamNonBlocking);
  Event e;
  Gate gate(s);
  add<<<1, 1, 0, s>>>(p, 5);
  HIP(hipEventRecord(e, s));
  HIP(hipStreamWaitEvent(t, e, 0));
  copyValue<<<1, 1, 0, t>>>(p, q);
  KERNEL_OK();
  HIP_ERR(hipStreamQuery(t), hipErrorNotReady);
  EXPECT(gate.held());
  add<<<1, 1, 0, s>>>(p, 100);  // after the event: t does not wait for it
  gate.open();
  HIP(hipStreamSynchronize(t));
  HIP(hipStreamSynchronize(s));
  const int seen = q.download()[0];
  EXPECT(seen == 5 || seen == 105);
  EXPECT_EQ(p.download()[0], 105);
}

TEST(waiting_for_an_event_never_recorded_is_nothing) {
  Stream s;
  Event e;
  HIP(hipStreamWaitEvent(s, e, 0));
  HIP(hipStreamSynchronize(s));
}

TEST(a_wait_keeps_the_record_it_saw) {
  Stream s(hipStreamNonBlocking), t(hipStreamNonBlocking);
  Event e;
  HIP(hipEventRecord(e, s));
  HIP(hipStreamWaitEvent(t, e, 0));
  Gate gate(s);
  HIP(hipEventRecord(e, s));  // recorded again, behind the gate: the earlier wait does not change
  HIP(hipStreamSynchronize(t));
  EXPECT(gate.held());
}

struct Called {
  std::atomic<int> order{0};
  std::vector<int> seen;
  std::mutex lock;
  hipStream_t stream = nullptr;
  hipError_t status = hipErrorUnknown;
  const int* data = nullptr;
};
static void remember(hipStream_t s, hipError_t status, void* user) {
  auto& c = *static_cast<Called*>(user);
  std::lock_guard<std::mutex> hold(c.lock);
  c.stream = s;
  c.status = status;
  c.seen.push_back(*c.data);
}

TEST(callbacks_run_in_order_and_see_earlier_work) {
  int* host = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&host), sizeof(int), 0));
  *host = -1;
  Buffer<int> p(1);
  p.fill(0);
  Called c;
  c.data = host;
  Stream s;
  for (int i = 1; i <= 5; ++i) {
    add<<<1, 1, 0, s>>>(p, i);
    HIP(hipMemcpyAsync(host, p, sizeof(int), hipMemcpyDeviceToHost, s));
    HIP(hipStreamAddCallback(s, remember, &c, 0));
  }
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(c.seen, (std::vector<int>{1, 3, 6, 10, 15}));
  EXPECT_EQ(c.stream, s.handle);
  EXPECT_EQ(c.status, hipSuccess);
  HIP(hipHostFree(host));
  check::result(c.seen);
}

TEST(work_after_a_callback_waits_for_it) {
  static std::atomic<bool> done;
  done = false;
  Stream s;
  Event e;
  HIP(hipStreamAddCallback(
      s,
      [](hipStream_t, hipError_t, void*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        done = true;
      },
      nullptr, 0));
  HIP(hipEventRecord(e, s));
  HIP(hipEventSynchronize(e));
  EXPECT(done);
}

// HIP leaves open whether it does; AMD's runtime waits, and programs read what the stream has brought.
TEST(a_stream_that_is_destroyed_has_done_its_work) {
  int* host = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&host), sizeof(int), 0));
  *host = 0;
  static std::atomic<bool> called;
  called = false;
  hipStream_t s = nullptr;
  HIP(hipStreamCreate(&s));
  HIP(hipStreamAddCallback(
      s,
      [](hipStream_t, hipError_t, void*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        called = true;
      },
      nullptr, 0));
  add<<<1, 1, 0, s>>>(host, 5);
  HIP(hipStreamDestroy(s));
  EXPECT(called);
  EXPECT_EQ(*host, 5);
  HIP(hipHostFree(host));
}

TEST(per_thread_streams_are_one_per_thread) {
  Buffer<int> p(1), q(1);
  p.fill(0);
  q.fill(0);
  HIP(hipDeviceSynchronize());
  HIP(hipStreamQuery(hipStreamPerThread));
  Gate gate(hipStreamPerThread);
  HIP_ERR(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
  hipError_t there = hipErrorUnknown;
  std::thread([&] {
    add<<<1, 1, 0, hipStreamPerThread>>>(q, 4);
    there = hipStreamSynchronize(hipStreamPerThread);
  }).join();
  EXPECT_EQ(there, hipSuccess);
  EXPECT(gate.held());
  add<<<1, 1, 0, hipStreamPerThread>>>(p, 6);
  KERNEL_OK();
  gate.open();
  HIP(hipStreamSynchronize(hipStreamPerThread));
  EXPECT_EQ(p.download()[0], 6);
  EXPECT_EQ(q.download()[0], 4);
}

TEST(destroying_a_busy_stream_finishes_its_work) {
  Buffer<int> p(1);
  p.fill(0);
  hipStream_t s = nullptr;
  HIP(hipStreamCreate(&s));
  for (int i = 0; i < 20; ++i) add<<<1, 1, 0, s>>>(p, 1);
  KERNEL_OK();
  HIP(hipStreamDestroy(s));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(p.download()[0], 20);
}

TEST(compute_unit_masks) {
  const std::uint32_t mask[2] = {0x3, 0};
  hipStream_t s = nullptr;
  HIP(hipExtStreamCreateWithCUMask(&s, 1, mask));
  std::uint32_t got[4] = {};
  HIP(hipExtStreamGetCUMask(s, 4, got));
  EXPECT((got[0] & 0x3) != 0);
  Buffer<int> p(1);
  p.fill(0);
  HIP(hipDeviceSynchronize());
  add<<<1, 1, 0, s>>>(p, 2);
  KERNEL_OK();
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(p.download()[0], 2);
  HIP(hipStreamDestroy(s));
  const std::uint32_t none[4] = {};
  HIP(hipExtStreamCreateWithCUMask(&s, 4, none));
  HIP(hipExtStreamGetCUMask(s, 4, got));
  EXPECT_EQ(got[0], 0xffffffffu);  // a mask without units means all
  HIP(hipStreamDestroy(s));
  HIP_ERR(hipExtStreamCreateWithCUMask(nullptr, 1, mask), hipErrorInvalidHandle);
  HIP_ERR(hipExtStreamCreateWithCUMask(&s, 0, mask), hipErrorInvalidValue);
}

TEST(many_streams) {
  constexpr int kStreams = 40;
  Buffer<int> cells(kStreams);
  cells.fill(0);
  HIP(hipDeviceSynchronize());
  std::vector<hipStream_t> all(kStreams);
  for (auto& s : all) HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i < kStreams; ++i) add<<<1, 1, 0, all[i]>>>(cells + i, i + round);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  const auto got = cells.download();
  for (int i = 0; i < kStreams; ++i) EXPECT_EQ(got[i], 10 * i + 45);
  for (auto s : all) HIP(hipStreamDestroy(s));
  check::result(got);
}

TEST(no_stream_is_capturing) {
  Stream stream;
  for (hipStream_t s : {hipStream_t(nullptr), hipStream_t(stream)}) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
    HIP(hipStreamIsCapturing(s, &status));
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
    status = hipStreamCaptureStatusActive;
    unsigned long long id = 0;
    HIP(hipStreamGetCaptureInfo(s, &status, &id));
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
    status = hipStreamCaptureStatusActive;
    HIP(hipStreamGetCaptureInfo_v2(s, &status, nullptr, nullptr, nullptr, nullptr));
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
  }
  HIP_ERR(hipStreamGetCaptureInfo(stream, nullptr, nullptr), hipErrorInvalidValue);
}
