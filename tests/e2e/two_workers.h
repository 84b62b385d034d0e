// A program on the devices of two workers, which make one row of four.
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {

using testing::WorkerProcess;

inline constexpr int kDevices = 4;
inline constexpr std::size_t kSize = 1 << 20;

// A program on both workers: memory and a stream on each device.
struct Row {
  testing::Hip hip;
  void* memory[kDevices] = {};
  hipStream_t stream[kDevices] = {};
  hipEvent_t event[kDevices] = {};

  Row(const WorkerProcess& first, const WorkerProcess& second, std::size_t size = kSize)
      : Row(first.port(), second.port(), size) {}
  Row(int first, int second, std::size_t size) {
    const auto at = [](int port) { return "127.0.0.1:" + std::to_string(port); };
    setenv("TF_WORKER_HOST", (at(first) + "," + at(second)).c_str(), 1);
    setenv("HIP_REMOTE_WORKERS", "all", 1);
    setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
    if (!hip.load(testing::remoteLibrary()).ok()) _exit(100);
    int count = 0;
    HIPR_CHECK(hip, hipGetDeviceCount(&count));
    if (count != kDevices) _exit(101);
    for (int d = 0; d < kDevices; ++d) {
      HIPR_CHECK(hip, hipSetDevice(d));
      HIPR_CHECK(hip, hipMalloc(&memory[d], size));
      HIPR_CHECK(hip, hipStreamCreateWithFlags(&stream[d], hipStreamNonBlocking));
      HIPR_CHECK(hip, hipEventCreateWithFlags(&event[d], hipEventDisableTiming));
    }
  }
  bool works(int d) {
    std::vector<unsigned char> out(kSize, static_cast<unsigned char>(0x31 + d)), in(kSize);
    const worker::HipTable& api = hip.api;
    static_cast<void>(api.hipGetLastError());  // what failed before is the thread's, not the device's
    return api.hipSetDevice(d) == hipSuccess && api.hipMemset(memory[d], 0, kSize) == hipSuccess &&
           api.hipMemcpy(memory[d], out.data(), kSize, hipMemcpyHostToDevice) == hipSuccess &&
           api.hipMemcpyAsync(in.data(), memory[d], kSize, hipMemcpyDeviceToHost, stream[d]) == hipSuccess &&
           api.hipStreamSynchronize(stream[d]) == hipSuccess && api.hipDeviceSynchronize() == hipSuccess &&
           api.hipGetLastError() == hipSuccess && in == out;
  }
  bool fails(int d) {
    return hip.api.hipSetDevice(d) == hipSuccess && hip.api.hipDeviceSynchronize() == hipErrorNotInitialized &&
           hip.api.hipMemset(memory[d], 0, 64) == hipErrorNotInitialized;
  }
};

inline void end(const WorkerProcess& worker) {
  for (const pid_t session : worker.sessions()) kill(session, SIGKILL);
  kill(worker.pid(), SIGKILL);
}

}  // namespace hipr
