// A program and a running kernel that talk to each other through host memory, as communication libraries do: one writes
// data and then a flag, the other polls the flag and then reads the data. Every wait has an end, so a runtime that shows
// nothing before the kernel is over makes failed tests, not stuck ones.
#include <thread>

#include "support.h"

namespace {

constexpr long long kKernelPatience = 30000000000;  // ticks, some 15 s, however often it gets to poll meanwhile
constexpr std::chrono::seconds kPatience(20);

__device__ bool waitFor(volatile int* flag, int value) {
  for (const long long start = clock64(); clock64() - start < kKernelPatience;) {
    if (*flag == value) {
      __threadfence_system();
      return true;
    }
  }
  return false;
}

bool waitOnHost(const int* flag, int value) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}
void set(int* flag, int value) {
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

template <class T>
struct Pinned {
  T* data = nullptr;
  explicit Pinned(std::size_t count, unsigned flags = hipHostMallocMapped | hipHostMallocCoherent) {
    HIP(hipHostMalloc(reinterpret_cast<void**>(&data), count * sizeof(T), flags));
    std::memset(data, 0, count * sizeof(T));
  }
  Pinned(const Pinned&) = delete;
  ~Pinned() { (void)hipHostFree(data); }
  operator T*() const { return data; }
};

}  // namespace

// --- one flag each way

__global__ void answerOnce(volatile int* asked, volatile int* answered, int* timedOut) {
  *timedOut = !waitFor(asked, 1);
  *answered = 1;
  __threadfence_system();
  if (!waitFor(asked, 2)) *timedOut = 2;  // the host has seen our flag while we run
}

TEST(a_flag_each_way_while_the_kernel_runs) {
  Pinned<int> flags(64), timedOut(1);
  answerOnce<<<1, 1>>>(flags, flags + 32, timedOut);
  KERNEL_OK();
  set(flags, 1);
  EXPECT(waitOnHost(flags + 32, 1));
  EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
  set(flags, 2);
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(*timedOut, 0);
}

// --- data in both directions, many times

struct Mailbox {
  int toDevice;  // the number of the round, written last
  int padding[31];
  int toHost;
  int more[31];
};

__global__ void echo(volatile Mailbox* box, volatile int* request, volatile int* reply, int count, int rounds,
                     int* wrong) {
  for (int round = 1; round <= rounds; ++round) {
    __shared__ int ok;
    if (threadIdx.x == 0) ok = waitFor(&box->toDevice, round);
    __syncthreads();
    if (!ok) {
      if (threadIdx.x == 0) *wrong = -round;
      return;
    }
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
      if (request[i] != round * 1000 + i) atomicAdd(wrong, 1);
      reply[i] = request[i] + 7;
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) box->toHost = round;
  }
}

void converse(int count, int rounds) {
  Pinned<Mailbox> box(1);
  Pinned<int> request(count), reply(count), wrong(1);
  echo<<<1, 64>>>(box, request, reply, count, rounds, wrong);
  KERNEL_OK();
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < count; ++i) __atomic_store_n(&request[i], round * 1000 + i, __ATOMIC_RELAXED);
    set(&box.data->toDevice, round);
    REQUIRE(waitOnHost(&box.data->toHost, round));
    for (int i = 0; i < count; ++i) EXPECT_EQ(__atomic_load_n(&reply[i], __ATOMIC_RELAXED), round * 1000 + i + 7);
  }
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(*wrong, 0);
}

TEST(a_flag_never_comes_before_a_little_data) {
  converse(3, 40);
}

TEST(a_flag_never_comes_before_much_data) {
  converse(20000, 10);
}

// --- two kernels on two streams, and the program between them

__global__ void relay(volatile int* from, volatile int* to, int rounds, int* timedOut) {
  for (int round = 1; round <= rounds; ++round) {
    if (!waitFor(from, round)) {
      *timedOut = round;
      return;
    }
    *to = round;
    __threadfence_system();
  }
}

TEST(two_kernels_talk_through_the_program) {
  constexpr int kRounds = 20;
  Pinned<int> flags(256), timedOut(2);
  Stream a(hipStreamNonBlocking), b(hipStreamNonBlocking);
  relay<<<1, 1, 0, a>>>(flags, flags + 64, kRounds, timedOut);
  relay<<<1, 1, 0, b>>>(flags + 128, flags + 192, kRounds, timedOut + 1);
  KERNEL_OK();
  for (int round = 1; round <= kRounds; ++round) {
    set(flags, round);
    REQUIRE(waitOnHost(flags + 64, round));
    set(flags + 128, round);
    REQUIRE(waitOnHost(flags + 192, round));
  }
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(timedOut[0], 0);
  EXPECT_EQ(timedOut[1], 0);
}
