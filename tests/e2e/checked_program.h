// A program that uses a worker and checks every result; in a process of its own, so that it has a session of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "testing/hip.h"

namespace hipr {

// Copies of many sizes, kernels, events and functions of the host, every result of which is checked.
class CheckedProgram {
 public:
  CheckedProgram() {
    if (!hip_.load(testing::remoteLibrary()).ok()) std::abort();
    HIPR_CHECK(hip_, hipStreamCreate(&second_));
    HIPR_CHECK(hip_, hipMalloc(&memory_, kMost));
    HIPR_CHECK(hip_, hipHostMalloc(&pinned_, kMost, 0));
    HIPR_CHECK(hip_, hipEventCreate(&event_));
  }

  // False when something came out wrong.
  bool round(unsigned seed) {
    std::minstd_rand random(seed);
    return copies(1 + random() % (random() % 4 ? 20'000 : kMost), random()) &&
           kernel(1 + static_cast<int>(random() % 50)) && pinned(4096 + random() % 100'000, random()) &&
           givenBack(100'000 + random() % (random() % 4 ? 100'000 : kMost - 100'000), random());
  }

 private:
  static constexpr std::size_t kMost = 3 << 20;

  bool copies(std::size_t size, unsigned seed) {
    std::vector<unsigned char> there(size), back(size);
    for (std::size_t i = 0; i < size; ++i) there[i] = static_cast<unsigned char>((i * 2654435761u + seed) >> 11);
    HIPR_CHECK(hip_, hipMemcpy(memory_, there.data(), size, hipMemcpyHostToDevice));
    const std::vector<unsigned char> sent = there;
    std::fill(there.begin(), there.end(), 0xEE);  // the call has returned
    HIPR_CHECK(hip_, hipMemcpy(back.data(), memory_, size, hipMemcpyDeviceToHost));
    return back == sent;
  }

  bool kernel(int rounds) {
    float* out = static_cast<float*>(memory_);
    void* arguments[] = {&out, &rounds};
    hip_.launch(hip_.work, 2, 64, arguments);
    HIPR_CHECK(hip_, hipEventRecord(event_, hip_.stream));
    HIPR_CHECK(hip_, hipStreamWaitEvent(second_, event_, 0));
    float results[128] = {};
    HIPR_CHECK(hip_, hipMemcpyAsync(results, memory_, sizeof results, hipMemcpyDeviceToHost, second_));
    HIPR_CHECK(hip_, hipStreamSynchronize(second_));
    for (int i = 0; i < 128; ++i)
      if (results[i] != testing::workResult(i, rounds)) return false;
    return true;
  }

  bool pinned(std::size_t size, unsigned seed) {
    auto* host = static_cast<unsigned char*>(pinned_);
    for (std::size_t i = 0; i < size; ++i) host[i] = static_cast<unsigned char>((i + seed) * 31);
    int called = 0;
    HIPR_CHECK(hip_, hipMemcpyAsync(memory_, host, size, hipMemcpyHostToDevice, second_));
    HIPR_CHECK(hip_, hipLaunchHostFunc(second_, [](void* count) { ++*static_cast<int*>(count); }, &called));
    HIPR_CHECK(hip_, hipMemsetAsync(memory_, 7, size / 2, second_));
    HIPR_CHECK(hip_, hipMemcpyAsync(host, memory_, size, hipMemcpyDeviceToHost, second_));
    HIPR_CHECK(hip_, hipStreamSynchronize(second_));
    for (std::size_t i = 0; i < size; ++i)
      if (host[i] != (i < size / 2 ? 7 : static_cast<unsigned char>((i + seed) * 31))) return false;
    return called == 1;
  }

  // Memory that the program frees while its bytes are on their way, and may be lost there.
  bool givenBack(std::size_t size, unsigned seed) {
    const auto byte = [seed](std::size_t i) { return static_cast<unsigned char>((i * 40503u + seed) >> 7); };
    void* host = nullptr;
    HIPR_CHECK(hip_, hipHostMalloc(&host, size, 0));
    for (std::size_t i = 0; i < size; ++i) static_cast<unsigned char*>(host)[i] = byte(i);
    HIPR_CHECK(hip_, hipMemcpyAsync(memory_, host, size, hipMemcpyHostToDevice, second_));
    HIPR_CHECK(hip_, hipHostFree(host));
    std::vector<unsigned char> back(size);
    HIPR_CHECK(hip_, hipMemcpy(back.data(), memory_, size, hipMemcpyDeviceToHost));
    for (std::size_t i = 0; i < size; ++i)
      if (back[i] != byte(i)) return false;
    return true;
  }

  testing::Hip hip_;
  hipStream_t second_ = nullptr;
  void *memory_ = nullptr, *pinned_ = nullptr;
  hipEvent_t event_ = nullptr;
};

// What a process returns that makes so many rounds: 0 when all was right.
inline int checkedRounds(unsigned first, unsigned count) {
  CheckedProgram program;
  for (unsigned i = 0; i < count; ++i)
    if (!program.round(first + i)) return 1;
  return 0;
}

inline void use(int port) {
  setenv("TF_WORKER_HOST", "127.0.0.1", 1);
  setenv("TF_WORKER_PORT", std::to_string(port).c_str(), 1);
}

// In a process of its own, so that each has a session of its own. 0: all was right.
template <class Body>
int inChild(Body body, int seconds = 120) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > until) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace hipr
