// What a process may do around its GPU work: fork, use many threads, wait in one while others go on.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

using testing::Hip;

// Each runs in a child of its own: a process connects once.
template <class Body>
int inChild(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void load(Hip& hip) {
  if (!hip.load(testing::remoteLibrary()).ok()) std::exit(3);
}

constexpr int kResults = 64 * 4;

float* resultMemory(const Hip& hip) {
  float* out = nullptr;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&out), kResults * sizeof(float)));
  return out;
}

bool computesInto(float* out, const Hip& hip, hipStream_t stream, int depth) {
  std::vector<float> host(kResults);
  void* arguments[] = {&out, &depth};
  HIPR_CHECK(hip, hipModuleLaunchKernel(hip.work, 4, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
  HIPR_CHECK(hip, hipMemcpyAsync(host.data(), out, host.size() * sizeof(float), hipMemcpyDeviceToHost, stream));
  HIPR_CHECK(hip, hipStreamSynchronize(stream));
  for (int i = 0; i < kResults; ++i) {
    if (host[i] != testing::workResult(i, depth)) return false;
  }
  return true;
}

bool computes(const Hip& hip, hipStream_t stream, int depth) {
  float* out = resultMemory(hip);
  const bool right = computesInto(out, hip, stream, depth);
  HIPR_CHECK(hip, hipFree(out));
  return right;
}

class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest() { worker_.use(); }
  testing::WorkerProcess worker_;
};

TEST_F(ProcessTest, AForkedChildHasItsOwnSessionAndTheParentKeepsIts) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer does not support threads in a child forked from a process with threads";
#endif
  EXPECT_EQ(inChild([] {
              Hip hip;
              load(hip);
              if (!computes(hip, hip.stream, 5)) std::exit(4);
              const int inner = inChild([&] {
                Hip fresh;  // the library is loaded already; its session is not the parent's
                load(fresh);
                if (!computes(fresh, fresh.stream, 6)) std::exit(5);
              });
              if (inner != 0) std::exit(6);
              if (!computes(hip, hip.stream, 7)) std::exit(7);
            }),
            0);
}

TEST_F(ProcessTest, AForkedChildThatDoesNothingLeavesTheParentAlone) {
  EXPECT_EQ(inChild([] {
              Hip hip;
              load(hip);
              for (int i = 0; i < 5; ++i) {
                if (inChild([] {}) != 0) std::exit(5);
                if (!computes(hip, hip.stream, i)) std::exit(4);
              }
            }),
            0);
}

TEST_F(ProcessTest, ManyThreadsEachWithTheirOwnStream) {
  EXPECT_EQ(inChild([] {
              Hip hip;
              load(hip);
              std::atomic<int> wrong{0};
              std::vector<std::thread> threads;
              for (int t = 0; t < 8; ++t) {
                threads.emplace_back([&, t] {
                  hipStream_t stream;
                  HIPR_CHECK(hip, hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
                  for (int i = 0; i < 20; ++i) wrong += !computes(hip, stream, t * 20 + i);
                  HIPR_CHECK(hip, hipStreamDestroy(stream));
                });
              }
              for (std::thread& thread : threads) thread.join();
              std::exit(wrong);
            }),
            0);
}

TEST_F(ProcessTest, AThreadThatWaitsDoesNotDelayAnother) {
  EXPECT_EQ(inChild([] {
              Hip hip;
              load(hip);
              static std::atomic<bool> release{false};
              float* out = resultMemory(hip);  // not freed below: a free waits for every stream
              // A stream held by a host function for as long as we like.
              HIPR_CHECK(hip, hipLaunchHostFunc(
                                  hip.stream,
                                  [](void*) {
                                    while (!release) std::this_thread::yield();
                                  },
                                  nullptr));
              std::atomic<bool> waited{false};
              std::thread waiter([&] {
                HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
                waited = true;
              });
              hipStream_t other;
              HIPR_CHECK(hip, hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
              for (int i = 0; i < 20; ++i) {
                if (!computesInto(out, hip, other, i)) std::exit(4);
              }
              if (waited) std::exit(5);
              if (hip.api.hipStreamQuery(hip.stream) != hipErrorNotReady) std::exit(6);
              release = true;
              waiter.join();
              if (hip.api.hipStreamQuery(hip.stream) != hipSuccess) std::exit(7);
            }),
            0);
}

TEST_F(ProcessTest, QueriesSeeProgressWithoutAsking) {
  EXPECT_EQ(inChild([] {
              Hip hip;
              load(hip);
              hipEvent_t event;
              HIPR_CHECK(hip, hipEventCreate(&event));
              int depth = 1000;
              float* out = nullptr;
              HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&out), 64 * sizeof(float)));
              void* arguments[] = {&out, &depth};
              hip.launch(hip.work, 1, 64, arguments);
              HIPR_CHECK(hip, hipEventRecord(event, hip.stream));
              const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
              while (hip.api.hipEventQuery(event) == hipErrorNotReady) {
                if (std::chrono::steady_clock::now() > limit) std::exit(4);
              }
              if (hip.api.hipStreamQuery(hip.stream) != hipSuccess) std::exit(5);
            }),
            0);
}

TEST_F(ProcessTest, ASmallCallPassesALargeUpload) {
  EXPECT_EQ(inChild([] {
              Hip hip;
              load(hip);
              constexpr std::size_t kSize = 512 << 20;
              void *device = nullptr, *host = nullptr;
              HIPR_CHECK(hip, hipMalloc(&device, kSize));
              HIPR_CHECK(hip, hipHostMalloc(&host, kSize, 0));
              HIPR_CHECK(hip, hipMemcpyAsync(device, host, kSize, hipMemcpyHostToDevice, hip.stream));
              std::size_t free, total;
              HIPR_CHECK(hip, hipMemGetInfo(&free, &total));  // answered while the upload is on its way
              if (hip.api.hipStreamQuery(hip.stream) != hipErrorNotReady) std::exit(4);
              HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
            }),
            0);
}

}  // namespace
}  // namespace hipr
