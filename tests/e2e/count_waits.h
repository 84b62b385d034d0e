// How often a process waits for its worker, as the library itself counts it.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <functional>
#include <vector>

#include "testing/hip.h"
#include "tests/e2e/counters.h"

namespace hipr {

inline constexpr int kRepeats = 20;

// What a call may need, made beforehand. Sizes above 64 KiB take the bulk path.
struct Scene {
  testing::Hip hip;
  void* device = nullptr;
  void* other = nullptr;
  void* pinned = nullptr;
  std::vector<char> host = std::vector<char>(1 << 20);
  hipEvent_t event = nullptr;

  void prepare() {
    const Status status = hip.load(testing::remoteLibrary());
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str()), _exit(2);
    HIPR_CHECK(hip, hipMalloc(&device, 1 << 20));
    HIPR_CHECK(hip, hipMalloc(&other, 1 << 20));
    HIPR_CHECK(hip, hipHostMalloc(&pinned, 1 << 20, 0));
    HIPR_CHECK(hip, hipEventCreate(&event));
    HIPR_CHECK(hip, hipEventRecord(event, hip.stream));
    HIPR_CHECK(hip, hipDeviceSynchronize());
  }
};

// The number of times a process waited that called `call` `count` times.
inline int waitsOf(const std::function<void(Scene&)>& call, int count) {
  return static_cast<int>(Counters::of([&] {
    Scene scene;
    scene.prepare();
    for (int i = 0; i < count; ++i) call(scene);
  })["waited"]);
}

// The synchronize of the preparation may or may not have found its work done, in either process: one wait more or less.
inline int tripsPerCall(const std::function<void(Scene&)>& call) {
  return (waitsOf(call, kRepeats) - waitsOf(call, 0) + kRepeats / 2) / kRepeats;
}

}  // namespace hipr
