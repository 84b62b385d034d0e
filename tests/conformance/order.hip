// What comes after what, over several streams: calls that wait order everything behind them, what a wait proves is
// known everywhere, and work that cannot start yet holds back only what HIP orders behind it.
#include "support.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

constexpr int kRounds = 1 << 18;  // some milliseconds
constexpr int kInts = 512;

__global__ void writeLate(int* data, int value, int rounds) {
  unsigned mixed = threadIdx.x;
  for (int i = 0; i < rounds; ++i) mixed = mixed * 1664525u + 1013904223u;
  for (int i = threadIdx.x; i < kInts; i += blockDim.x) data[i] = mixed == 1u ? value + 1 : value;
}
__global__ void copyLast(const int* from, int count, int* to) {
  *to = from[count - 1] + 1;
}

// Host memory that the device copies to and from without the help of the CPU.
template <class T>
class Pinned {
 public:
  explicit Pinned(std::size_t count) { HIP(hipHostMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T), 0)); }
  Pinned(const Pinned&) = delete;
  ~Pinned() { (void)hipHostFree(data_); }
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
};

// One stream of every kind; two of them where there can be two.
struct Streams {
  Stream blocking[2], apart[2] = {Stream(hipStreamNonBlocking), Stream(hipStreamNonBlocking)};
  static constexpr int kKinds = 4;
  static constexpr int kApart = 2;
  hipStream_t get(int kind, int which) const {
    switch (kind) {
      case 0:
        return nullptr;
      case 1:
        return blocking[which];
      case kApart:
        return apart[which];
      default:
        return hipStreamPerThread;
    }
  }
};
static std::string pairName(int a, int b) {
  static const char* const names[] = {"null", "blocking", "non-blocking", "per-thread"};
  return std::string("stream ") + names[a] + ", then " + names[b];
}

static bool allAre(const int* data, int value) {
  return std::all_of(data, data + kInts, [=](int x) { return x == value; });
}

// A slow kernel on A; the call; a copy on B of what the kernel wrote.
template <class Call>
static void seesTheKernelAfter(Call call, bool evenWithoutTheNullStreamsRules) {
  Streams streams;
  Buffer<int> data(kInts);
  Pinned<int> host(kInts);
  int value = 1;
  for (int a = 0; a < Streams::kKinds; ++a) {
    if (a == Streams::kApart && !evenWithoutTheNullStreamsRules) continue;
    for (int b = 0; b < Streams::kKinds; ++b) {
      for (int repetition = 0; repetition < 4; ++repetition, ++value) {
        HIP(hipDeviceSynchronize());
        std::fill_n(host + 0, kInts, -1);
        call([&] {
          writeLate<<<1, 64, 0, streams.get(a, 0)>>>(data, value, kRounds);
          KERNEL_OK();
        });
        const hipStream_t reader = streams.get(b, 1);
        HIP(hipMemcpyAsync(host, data, data.bytes(), hipMemcpyDeviceToHost, reader));
        HIP(hipStreamSynchronize(reader));
        if (!allAre(host, value)) check::fail(__FILE__, __LINE__, pairName(a, b) + ": the copy came too early");
      }
    }
  }
  check::result(value);
}

TEST(everything_comes_after_a_free) {
  seesTheKernelAfter(
      [](auto launch) {
        void* other = nullptr;
        HIP(hipMalloc(&other, 1 << 16));
        launch();
        HIP(hipFree(other));
      },
      true);
}

TEST(everything_comes_after_an_upload_that_waits) {
  Buffer<int> other(1000);
  const std::vector<int> from(1000, 3);
  seesTheKernelAfter(
      [&](auto launch) {
        launch();
        HIP(hipMemcpy(other, from.data(), other.bytes(), hipMemcpyHostToDevice));
      },
      false);
}

TEST(everything_comes_after_a_download_that_waits) {
  Buffer<int> other(1000);
  std::vector<int> to(1000);
  seesTheKernelAfter(
      [&](auto launch) {
        launch();
        HIP(hipMemcpy(to.data(), other, other.bytes(), hipMemcpyDeviceToHost));
      },
      false);
}

TEST(everything_comes_after_a_fill_that_waits) {
  Buffer<int> other(1000);
  seesTheKernelAfter(
      [&](auto launch) {
        launch();
        HIP(hipMemset(other, 5, other.bytes()));
      },
      false);
}

TEST(everything_comes_after_a_copy_on_the_device_that_waits) {
  Buffer<int> other(1000), third(1000);
  seesTheKernelAfter(
      [&](auto launch) {
        launch();
        HIP(hipMemcpy(other, third, other.bytes(), hipMemcpyDeviceToDevice));
      },
      false);
}

// Whatever waiting for the last stream of a chain proves is known at once: no query may say otherwise.
static void waitForTheLastOf(const std::vector<hipStream_t>& chain, int value) {
  HIP(hipDeviceSynchronize());
  Buffer<int> data(kInts);
  Pinned<int> host(kInts);
  std::fill_n(host + 0, kInts, -1);
  Event start;
  std::vector<std::unique_ptr<Event>> links;
  HIP(hipEventRecord(start, chain[0]));
  writeLate<<<1, 64, 0, chain[0]>>>(data, value, kRounds);
  KERNEL_OK();
  HIP(hipMemcpyAsync(host, data, data.bytes(), hipMemcpyDeviceToHost, chain[0]));
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    links.push_back(std::make_unique<Event>());
    HIP(hipEventRecord(*links.back(), chain[i]));
    HIP(hipStreamWaitEvent(chain[i + 1], *links.back(), 0));
  }
  HIP(hipStreamSynchronize(chain.back()));
  for (const auto& link : links) {
    HIP(hipEventQuery(*link));
    float ms = -1;
    HIP(hipEventElapsedTime(&ms, start, *link));
    EXPECT(ms >= 0);
  }
  EXPECT(allAre(host, value));
  for (hipStream_t stream : chain) HIP(hipStreamQuery(stream));
}

TEST(waiting_for_a_stream_proves_what_it_waited_for) {
  Streams streams;
  int value = 0;
  for (int a = 0; a < Streams::kKinds; ++a)
    for (int b = 0; b < Streams::kKinds; ++b)
      for (int repetition = 0; repetition < 4; ++repetition)
        waitForTheLastOf({streams.get(a, 0), streams.get(b, 1)}, ++value);
}

TEST(waiting_proves_along_a_chain_of_streams) {
  Streams streams;
  int value = 0;
  for (int a = 0; a < Streams::kKinds; ++a)
    for (int b = 0; b < Streams::kKinds; ++b)
      for (int c = 0; c < Streams::kKinds; ++c)
        waitForTheLastOf({streams.get(a, 0), streams.get(b, 1), streams.get(c, 0)}, ++value);
}

TEST(a_host_function_is_over_when_a_stream_behind_it_is) {
  Streams streams;
  for (int a = 0; a < Streams::kKinds; ++a) {
    for (int b = 0; b < Streams::kKinds; ++b) {
      std::atomic<bool> called{false};
      Event behind;
      HIP(hipStreamAddCallback(
          streams.get(a, 0),
          [](hipStream_t, hipError_t, void* flag) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            *static_cast<std::atomic<bool>*>(flag) = true;
          },
          &called, 0));
      HIP(hipEventRecord(behind, streams.get(a, 0)));
      HIP(hipStreamWaitEvent(streams.get(b, 1), behind, 0));
      HIP(hipStreamSynchronize(streams.get(b, 1)));
      EXPECT(called);
      HIP(hipEventQuery(behind));
      HIP(hipDeviceSynchronize());  // the flag lives until then, whatever happened
    }
  }
}

// The upload cannot start: its stream is held. That is nobody else's trouble.
static void passesAnUploadThatIsHeld(const std::vector<int>& pageable, const int* from) {
  Streams streams;
  for (int held : {0, 1, 2}) {
    Buffer<int> to(pageable.size()), data(kInts);
    HIP(hipDeviceSynchronize());
    {
      Gate gate(streams.get(held, 0));
      std::atomic<bool> failed{false};
      std::thread uploader([&] {  // HIP lets copies of pageable memory wait
        failed = hipMemcpyAsync(to, from, to.bytes(), hipMemcpyHostToDevice, streams.get(held, 0)) != hipSuccess;
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      const hipStream_t other = streams.apart[1];
      Pinned<int> host(kInts);
      writeLate<<<1, 64, 0, other>>>(data, 7 + held, 10);
      const hipError_t launched = hipGetLastError();
      const hipError_t copied = hipMemcpyAsync(host, data, data.bytes(), hipMemcpyDeviceToHost, other);
      const hipError_t over = hipStreamSynchronize(other);
      EXPECT(gate.held());
      EXPECT(allAre(host, 7 + held));
      gate.open();
      uploader.join();
      HIP(launched);
      HIP(copied);
      HIP(over);
      EXPECT(!failed);
    }
    HIP(hipStreamSynchronize(streams.get(held, 0)));
    EXPECT_VEC(to.download(), pageable);
  }
}

TEST(a_held_upload_of_pageable_memory_delays_no_other_stream) {
  const auto from = randomVector<int>(3 << 18, 1, 0, 1e9);
  passesAnUploadThatIsHeld(from, from.data());
}

TEST(a_held_upload_of_pinned_memory_delays_no_other_stream) {
  const auto values = randomVector<int>(3 << 18, 2, 0, 1e9);
  Pinned<int> from(values.size());
  std::copy(values.begin(), values.end(), from + 0);
  passesAnUploadThatIsHeld(values, from);
}

TEST(asynchronous_fills_of_pinned_memory_wait_for_nobody) {
  constexpr std::size_t kBytes = kInts * sizeof(int);
  Streams streams;
  for (int kind = 0; kind < Streams::kKinds; ++kind) {
    const hipStream_t stream = streams.get(kind, 0);
    Pinned<int> from(kInts);
    Buffer<int> there(kInts);
    std::fill_n(from + 0, kInts, 5);
    {
      Gate gate(stream);
      const hipError_t filled = hipMemsetAsync(from, 0x11, kBytes, stream);
      const hipError_t uploaded = hipMemcpyAsync(there, from, kBytes, hipMemcpyHostToDevice, stream);
      EXPECT(gate.held());
      EXPECT(allAre(from, 5));
      HIP(filled);
      HIP(uploaded);
    }
    HIP(hipStreamSynchronize(stream));
    EXPECT(allAre(from, 0x11111111));
    EXPECT(allAre(there.download().data(), 0x11111111));
  }
}

TEST(copies_from_pinned_to_pinned_memory_wait_for_their_stream) {
  Streams streams;
  for (int kind = 0; kind < Streams::kKinds; ++kind) {
    const hipStream_t stream = streams.get(kind, 0);
    Buffer<int> data(kInts);
    Pinned<int> from(kInts), to(kInts);
    std::fill_n(from + 0, kInts, 6 + kind);
    writeLate<<<1, 64, 0, stream>>>(data, 1, kRounds);
    KERNEL_OK();
    HIP(hipMemcpyAsync(to, from, kInts * sizeof(int), hipMemcpyHostToHost, stream));
    EXPECT(allAre(to, 6 + kind));
    HIP(hipStreamQuery(stream));
  }
}

TEST(the_null_streams_rules_hold_for_held_work) {
  constexpr int kCount = 10 << 20;  // 40 MiB
  Buffer<int> large(kCount), seen(2);
  Pinned<int> from(kCount);
  Stream first, second;
  for (int round = 0; round < 3; ++round) {
    large.fill(0);
    seen.fill(0);
    from[kCount - 1] = 100 * (round + 1);
    HIP(hipDeviceSynchronize());
    Gate gate(first);
    HIP(hipMemcpyAsync(large, from, large.bytes(), hipMemcpyHostToDevice, first));
    copyLast<<<1, 1>>>(large, kCount, seen);
    copyLast<<<1, 1, 0, second>>>(seen, 1, seen + 1);
    KERNEL_OK();
    HIP_ERR(hipStreamQuery(second), hipErrorNotReady);
    HIP_ERR(hipStreamQuery(nullptr), hipErrorNotReady);
    EXPECT(gate.held());
    gate.open();
    HIP(hipStreamSynchronize(second));
    EXPECT_VEC(seen.download(), (std::vector<int>{100 * (round + 1) + 1, 100 * (round + 1) + 2}));
    HIP(hipStreamQuery(first));
  }
}

// --- whoever says that a download is over, its bytes are here

template <class Wait>
static void theBytesAreHereAfter(Wait wait) {
  constexpr int kMost = 100000, kTimes = 200;
  Streams streams;
  Buffer<unsigned char> data(kMost);
  Pinned<unsigned char> host(kMost);
  Random random(9);
  int wrong = 0;
  for (int i = 0; i < kTimes; ++i) {
    const hipStream_t stream = streams.get(i % Streams::kKinds, 0);
    const std::size_t size = i % 3 == 0 ? 8 : 8 + random.below(kMost - 8);
    const auto value = static_cast<unsigned char>(i % 255 + 1);
    std::fill_n(host + 0, size, 0);
    Event event;
    HIP(hipMemsetAsync(data, value, size, stream));
    HIP(hipMemcpyAsync(host, data, size, hipMemcpyDeviceToHost, stream));
    HIP(hipEventRecord(event, stream));
    wait(stream, event);
    wrong += !std::all_of(host + 0, host + size, [=](unsigned char byte) { return byte == value; });
    HIP(hipStreamSynchronize(stream));
  }
  EXPECT_EQ(wrong, 0);
}

template <class Query>
static void poll(Query query) {
  hipError_t error = hipErrorNotReady;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while ((error = query()) == hipErrorNotReady && std::chrono::steady_clock::now() < patience) {
  }
  HIP(error);
}

TEST(a_download_is_here_after_synchronizing_its_stream) {
  theBytesAreHereAfter([](hipStream_t stream, hipEvent_t) { HIP(hipStreamSynchronize(stream)); });
}
TEST(a_download_is_here_after_synchronizing_an_event) {
  theBytesAreHereAfter([](hipStream_t, hipEvent_t event) { HIP(hipEventSynchronize(event)); });
}
TEST(a_download_is_here_after_synchronizing_the_device) {
  theBytesAreHereAfter([](hipStream_t, hipEvent_t) { HIP(hipDeviceSynchronize()); });
}
TEST(a_download_is_here_when_a_query_of_its_stream_says_so) {
  theBytesAreHereAfter([](hipStream_t stream, hipEvent_t) { poll([=] { return hipStreamQuery(stream); }); });
}
TEST(a_download_is_here_when_a_query_of_an_event_says_so) {
  theBytesAreHereAfter([](hipStream_t, hipEvent_t event) { poll([=] { return hipEventQuery(event); }); });
}
