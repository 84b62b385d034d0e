// Many host threads at once: own streams, devices and last errors; shared modules, allocations and events; no thread
// waits for another's blocking call.
#include "support.h"

#include <algorithm>
#include <atomic>
#include <thread>

constexpr int kThreads = 8;

template <class F>
static void inThreads(int count, F f) {
  std::vector<std::thread> all;
  std::atomic<int> bad{0};
  for (int t = 0; t < count; ++t)
    all.emplace_back([&, t] {
      try {
        f(t);
      } catch (const check::Stop&) {
        ++bad;
      }
    });
  for (auto& t : all) t.join();
  EXPECT_EQ(bad.load(), 0);
}

__global__ void step(unsigned* p, int n, unsigned mul) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = p[i] * mul + unsigned(i);
}

TEST(own_streams_and_buffers) {
  std::vector<unsigned> sums(kThreads);
  inThreads(kThreads, [&](int t) {
    const int n = 700 + t;
    std::vector<unsigned> want(n, unsigned(t)), got(n);
    Buffer<unsigned> d(want);
    Stream s(t % 2 ? hipStreamDefault : hipStreamNonBlocking);
    for (int round = 0; round < 12; ++round) {
      step<<<blocksFor(n, 128), 128, 0, s>>>(d, n, unsigned(t + round));
      KERNEL_OK();
      for (int i = 0; i < n; ++i) want[i] = want[i] * unsigned(t + round) + unsigned(i);
      if (round % 4 == 3) {
        HIP(hipMemcpyAsync(got.data(), d, d.bytes(), hipMemcpyDeviceToHost, s));
        HIP(hipStreamSynchronize(s));
        EXPECT_VEC(got, want);
      }
    }
    for (unsigned v : want) sums[t] += v;
  });
  check::result(sums);
}

TEST(own_devices) {
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  inThreads(kThreads, [devices](int t) {
    for (int round = 0; round < 10; ++round) {
      const int mine = (t + round) % devices;
      HIP(hipSetDevice(mine));
      std::this_thread::yield();
      int current = -1;
      HIP(hipGetDevice(&current));
      EXPECT_EQ(current, mine);
      Buffer<unsigned> d(16);
      hipPointerAttribute_t a = {};
      HIP(hipPointerGetAttributes(&a, d.get()));
      EXPECT_EQ(a.device, mine);
    }
  });
}

TEST(own_last_errors) {
  inThreads(kThreads, [](int t) {
    for (int round = 0; round < 50; ++round) {
      if (t % 2) {
        (void)hipSetDevice(-1);
        HIP_ERR(hipGetLastError(), hipErrorInvalidDevice);
      } else {
        (void)hipMalloc(nullptr, 1);
        HIP_ERR(hipGetLastError(), hipErrorInvalidValue);
      }
      HIP_ERR(hipGetLastError(), hipSuccess);
    }
  });
}

TEST(a_blocked_thread_delays_nobody) {
  Stream held(hipStreamNonBlocking);
  Buffer<unsigned> d(4 * 100);  // freed at the end: a free waits for every stream
  Gate gate(held);
  std::atomic<bool> waiting{false}, returned{false};
  std::thread waiter([&] {
    waiting = true;
    (void)hipStreamSynchronize(held);
    returned = true;
  });
  while (!waiting) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  inThreads(4, [&](int t) {
    Stream s(hipStreamNonBlocking);
    unsigned* mine = static_cast<unsigned*>(d) + t * 100;
    HIP(hipMemsetAsync(mine, 0, 100 * sizeof(unsigned), s));
    step<<<1, 128, 0, s>>>(mine, 100, unsigned(t));
    KERNEL_OK();
    HIP(hipStreamSynchronize(s));
  });
  EXPECT(!returned);
  EXPECT(gate.held());
  gate.open();
  waiter.join();
  EXPECT(returned);
}

TEST(allocation_storm) {
  inThreads(kThreads, [](int t) {
    Random r(t + 1);
    std::vector<std::pair<unsigned char*, std::size_t>> live;
    for (int i = 0; i < 120; ++i) {
      if (live.size() < 10 && r.below(3)) {
        const std::size_t bytes = 1 + r.below(100000);
        void* p = nullptr;
        HIP(hipMalloc(&p, bytes));
        HIP(hipMemsetAsync(p, t + 1, bytes, nullptr));
        live.push_back({static_cast<unsigned char*>(p), bytes});
      } else if (!live.empty()) {
        const auto victim = live[r.below(int(live.size()))];
        unsigned char last = 0;
        HIP(hipMemcpy(&last, victim.first + victim.second - 1, 1, hipMemcpyDeviceToHost));
        EXPECT_EQ(last, t + 1);  // nobody else was given this memory
        HIP(hipFree(victim.first));
        live.erase(std::find(live.begin(), live.end(), victim));
      }
    }
    for (const auto& l : live) HIP(hipFree(l.first));
  });
}

TEST(one_stream_from_many_threads) {
  Stream s;
  Buffer<unsigned> d(1);
  d.fill(0);
  HIP(hipDeviceSynchronize());
  inThreads(kThreads, [&](int) {
    for (int i = 0; i < 50; ++i) {
      step<<<1, 1, 0, s>>>(d, 1, 1);  // adds 0: order between threads does not matter
      KERNEL_OK();
    }
  });
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(d.download()[0], 0u);
}

TEST(handles_travel_between_threads) {
  hipStream_t s = nullptr;
  hipEvent_t e = nullptr;
  unsigned* p = nullptr;
  inThreads(1, [&](int) {
    HIP(hipStreamCreate(&s));
    HIP(hipEventCreate(&e));
    HIP(hipMalloc(reinterpret_cast<void**>(&p), 400));
    HIP(hipMemsetAsync(p, 0, 400, s));
    step<<<1, 100, 0, s>>>(p, 100, 1);
    KERNEL_OK();
    HIP(hipEventRecord(e, s));
  });
  HIP(hipEventSynchronize(e));
  std::vector<unsigned> got(100);
  HIP(hipMemcpy(got.data(), p, 400, hipMemcpyDeviceToHost));
  EXPECT_EQ(got[99], 99u);
  inThreads(1, [&](int) {
    HIP(hipFree(p));
    HIP(hipEventDestroy(e));
    HIP(hipStreamDestroy(s));
  });
}
