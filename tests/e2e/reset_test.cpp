// hipDeviceReset through a worker: the device works again, whatever has happened to it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

using testing::Hip;
using testing::WorkerProcess;

std::unique_ptr<WorkerProcess> workerWithTwoDevices() {
  setenv("HIP_REMOTE_SOFTGPU", "gfx90ax2", 1);
  auto worker = std::make_unique<WorkerProcess>();
  unsetenv("HIP_REMOTE_SOFTGPU");
  worker->use();
  return worker;
}

bool computes(Hip& hip) {
  float* out = nullptr;
  int rounds = 7;
  std::vector<float> host(64);
  void* arguments[] = {&out, &rounds};
  if (hip.api.hipMalloc(reinterpret_cast<void**>(&out), host.size() * sizeof(float)) != hipSuccess) return false;
  if (hip.api.hipModuleLaunchKernel(hip.work, 1, 1, 1, 64, 1, 1, 0, hip.stream, arguments, nullptr) != hipSuccess)
    return false;
  if (hip.api.hipMemcpy(host.data(), out, host.size() * sizeof(float), hipMemcpyDeviceToHost) != hipSuccess)
    return false;
  for (int i = 0; i < 64; ++i) {
    if (host[i] != testing::workResult(i, rounds)) return false;
  }
  return hip.api.hipFree(out) == hipSuccess;
}

hipError_t writeNowhere(Hip& hip) {
  float* nowhere = reinterpret_cast<float*>(0x10);
  int rounds = 1;
  void* arguments[] = {&nowhere, &rounds};
  hip.launch(hip.work, 1, 64, arguments);
  return hip.api.hipDeviceSynchronize();
}

void loadAgain(Hip& hip) {  // everything made before the reset is gone
  HIPR_CHECK(hip, hipModuleLoadData(&hip.module, testing::kernelImage()));
  HIPR_CHECK(hip, hipModuleGetFunction(&hip.work, hip.module, "work"));
  HIPR_CHECK(hip, hipStreamCreate(&hip.stream));
}

template <class Body>
pid_t start(Body body) {
  const pid_t child = fork();
  if (child != 0) return child;
  Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) _exit(3);
  std::exit(body(hip));
}

int exitCode(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Reset, AFaultedDeviceWorksAgain) {
  const WorkerProcess worker;
  worker.use();
  EXPECT_EQ(exitCode(start([](Hip& hip) {
              for (int i = 0; i < 3; ++i) {
                if (writeNowhere(hip) != hipErrorIllegalAddress) return 4;
                if (hip.api.hipDeviceSynchronize() != hipErrorIllegalAddress) return 5;  // it stays failed
                if (hip.api.hipDeviceReset() != hipSuccess) return 6;
                (void)hip.api.hipGetLastError();
                loadAgain(hip);
                if (!computes(hip)) return 7;
              }
              return 0;
            })),
            0);
}

TEST(Reset, FindsAWorkerThatWasStartedAgain) {
  int works[2], restarted[2];
  ASSERT_EQ(pipe(works) | pipe(restarted), 0);
  auto worker = std::make_unique<WorkerProcess>();
  worker->use();
  const pid_t client = start([&](Hip& hip) {
    if (!computes(hip)) return 4;
    char byte = 0;
    if (write(works[1], "w", 1) != 1 || read(restarted[0], &byte, 1) != 1) return 5;
    if (computes(hip)) return 6;
    if (hip.api.hipDeviceReset() != hipSuccess) return 7;
    loadAgain(hip);
    return computes(hip) ? 0 : 8;
  });
  char byte = 0;
  ASSERT_EQ(read(works[0], &byte, 1), 1);
  const std::string port = std::to_string(worker->port());
  worker->kill();
  worker.reset();
  worker =
      std::make_unique<WorkerProcess>(std::vector<std::string>{"--runtime", "softgpu", "--grace", "1", "-p", port});
  ASSERT_EQ(write(restarted[1], "r", 1), 1);
  EXPECT_EQ(exitCode(client), 0);
}

// Neither what would only be posted nor what is answered from memory succeeds without a worker, before and after a
// reset that could not find one.
TEST(Reset, NothingSucceedsWithoutAWorker) {
  int works[2], gone[2];
  ASSERT_EQ(pipe(works) | pipe(gone), 0);
  auto worker = workerWithTwoDevices();
  setenv("TF_CONNECT_TIMEOUT", "1", 1);
  const pid_t client = start([&](Hip& hip) {
    hipEvent_t event = nullptr;
    if (!computes(hip) || hip.api.hipEventCreate(&event) != hipSuccess) return 4;
    if (hip.api.hipDeviceSetLimit(hipLimitStackSize, 2048) != hipSuccess) return 5;
    char byte = 0;
    if (write(works[1], "w", 1) != 1 || read(gone[0], &byte, 1) != 1) return 6;
    if (hip.api.hipDeviceSynchronize() == hipSuccess) return 7;
    if (hip.api.hipDeviceSetLimit(hipLimitStackSize, 4096) == hipSuccess) return 8;
    if (hip.api.hipDeviceEnablePeerAccess(1, 0) == hipSuccess) return 9;
    if (hip.api.hipEventRecord(event, hip.stream) == hipSuccess) return 10;
    if (hip.api.hipDeviceReset() == hipSuccess) return 11;
    if (hip.api.hipDeviceSetLimit(hipLimitStackSize, 4096) == hipSuccess) return 12;
    if (hip.api.hipDeviceEnablePeerAccess(1, 0) == hipSuccess) return 13;
    void* memory = nullptr;
    return hip.api.hipMalloc(&memory, 64) == hipSuccess ? 14 : 0;
  });
  char byte = 0;
  ASSERT_EQ(read(works[0], &byte, 1), 1);
  worker->kill();
  worker.reset();
  unsetenv("TF_CONNECT_TIMEOUT");
  ASSERT_EQ(write(gone[1], "g", 1), 1);
  EXPECT_EQ(exitCode(client), 0);
}

TEST(Reset, TakesPinnedMemoryWhenItsCopiesAreDone) {
  setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);  // within a machine the worker itself would have that memory
  const WorkerProcess worker;
  worker.use();
  EXPECT_EQ(exitCode(start([](Hip& hip) {
              constexpr std::size_t kSize = 64 << 20;
              for (int i = 0; i < 4; ++i) {
                void *device = nullptr, *from = nullptr, *to = nullptr;
                HIPR_CHECK(hip, hipMalloc(&device, kSize));
                HIPR_CHECK(hip, hipHostMalloc(&from, kSize, 0));
                HIPR_CHECK(hip, hipHostMalloc(&to, kSize, 0));
                HIPR_CHECK(hip, hipMemcpyAsync(device, from, kSize, hipMemcpyHostToDevice, hip.stream));
                HIPR_CHECK(hip, hipMemcpyAsync(to, device, kSize, hipMemcpyDeviceToHost, hip.stream));
                HIPR_CHECK(hip, hipDeviceReset());
                loadAgain(hip);
              }
              return computes(hip) ? 0 : 4;
            })),
            0);
  unsetenv("HIP_REMOTE_TRANSPORT");
}

TEST(Reset, LeavesOtherDevicesAlone) {
  const auto worker = workerWithTwoDevices();
  EXPECT_EQ(exitCode(start([](Hip& hip) {
              if (hip.api.hipSetDevice(1) != hipSuccess) return 4;
              std::size_t before = 0, after = 0, total = 0;
              void *mine = nullptr, *pinned = nullptr;
              hipStream_t stream;
              HIPR_CHECK(hip, hipMemGetInfo(&before, &total));
              for (int i = 0; i < 3; ++i) {
                HIPR_CHECK(hip, hipMalloc(&mine, 100 << 20));
                HIPR_CHECK(hip, hipHostMalloc(&pinned, 1 << 20, 0));
                HIPR_CHECK(hip, hipStreamCreate(&stream));
                HIPR_CHECK(hip, hipMemsetAsync(mine, 1, 100 << 20, stream));
                HIPR_CHECK(hip, hipDeviceReset());
                if (hip.api.hipFree(mine) != hipErrorInvalidValue) return 5;
              }
              HIPR_CHECK(hip, hipMemGetInfo(&after, &total));
              if (after != before) return 6;
              (void)hip.api.hipSetDevice(0);
              return computes(hip) ? 0 : 7;  // its module and stream are still there
            })),
            0);
}

TEST(Reset, TheNullStreamGoesOn) {
  const auto worker = workerWithTwoDevices();
  EXPECT_EQ(exitCode(start([](Hip& hip) {
              if (hip.api.hipSetDevice(1) != hipSuccess) return 4;
              for (int i = 0; i < 3; ++i) {
                void* memory = nullptr;
                HIPR_CHECK(hip, hipMalloc(&memory, 1 << 20));
                for (int fill = 0; fill < 20 - 5 * i; ++fill)
                  HIPR_CHECK(hip, hipMemsetAsync(memory, i, 1 << 20, nullptr));
                hipError_t over = hipErrorNotReady;  // asking lets the worker tell how far the stream is
                for (int wait = 0; wait < 10000 && over == hipErrorNotReady; ++wait) {
                  over = hip.api.hipStreamQuery(nullptr);
                  usleep(1000);
                }
                if (over != hipSuccess) return 5;
                char value = -1;
                HIPR_CHECK(hip, hipMemcpy(&value, memory, 1, hipMemcpyDeviceToHost));
                if (value != i) return 6;
                HIPR_CHECK(hip, hipDeviceReset());
              }
              return 0;
            })),
            0);
}

}  // namespace
}  // namespace hipr
