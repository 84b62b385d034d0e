#include "bench/lines.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace hipr::bench {
namespace {

constexpr std::size_t kSmall = 256 << 10, kMiddle = 1 << 20, kLarge = 256 << 20;
constexpr std::size_t kWorkBytes = 64 * 64 * sizeof(float);  // what the largest working kernel writes

// Long enough for a writer, a reader or a session to have stopped looking for work and gone to sleep.
constexpr double kBriefPause = 300e-6, kLongPause = 2e-3;

void getDevice(Scene& s) {
  int value = 0;
  HIPR_CHECK(s.hip, hipGetDevice(&value));
}

void getAttribute(Scene& s) {
  int value = 0;
  HIPR_CHECK(s.hip, hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
}

void queryIdleStream(Scene& s) {
  HIPR_CHECK(s.hip, hipStreamQuery(s.hip.stream));
}

void launch(Scene& s) {
  s.launch();
}

void synchronize(Scene& s) {
  HIPR_CHECK(s.hip, hipStreamSynchronize(s.hip.stream));
}

void launchAndSynchronize(Scene& s) {
  s.launch();
  synchronize(s);
}

void read(Scene& s) {
  std::uint64_t result = 0;
  HIPR_CHECK(s.hip, hipMemcpy(&result, s.device, sizeof result, hipMemcpyDeviceToHost));
}

void launchManyAndRead(Scene& s) {
  for (int i = 0; i < 64; ++i) s.launch();
  s.finish();
}

void eventCycle(Scene& s) {
  hipEvent_t event = nullptr;
  HIPR_CHECK(s.hip, hipEventCreate(&event));
  HIPR_CHECK(s.hip, hipEventRecord(event, s.hip.stream));
  HIPR_CHECK(s.hip, hipEventDestroy(event));
}

void allocateAndFree(Scene& s) {
  void* memory = nullptr;
  HIPR_CHECK(s.hip, hipMalloc(&memory, 4 << 20));
  HIPR_CHECK(s.hip, hipFree(memory));
}

void memoryInfo(Scene& s) {
  std::size_t free = 0, total = 0;
  HIPR_CHECK(s.hip, hipMemGetInfo(&free, &total));
}

void up(Scene& s, const void* host) {
  HIPR_CHECK(s.hip, hipMemcpyAsync(s.device, host, s.bytes, hipMemcpyHostToDevice, s.hip.stream));
  synchronize(s);
}
void upPageable(Scene& s) {
  up(s, s.pageable.data());
}
void upPinned(Scene& s) {
  up(s, s.pinned);
}

void down(Scene& s, void* host) {
  HIPR_CHECK(s.hip, hipMemcpyAsync(host, s.device, s.bytes, hipMemcpyDeviceToHost, s.hip.stream));
  synchronize(s);
}
void downPageable(Scene& s) {
  down(s, s.pageable.data());
}
void downPinned(Scene& s) {
  down(s, s.pinned);
}

void launchWork(Scene& s, unsigned groups, int rounds = 200) {
  void* arguments[] = {&s.device, &rounds};
  s.hip.launch(s.hip.work, groups, 64, arguments);
}

// Kernels with something to do: the cost of remoting should vanish behind them.
void workingKernels(Scene& s) {
  for (int i = 0; i < 100; ++i) launchWork(s, 64);
  synchronize(s);
}

// 64 of the smallest kernels that do anything: 64 work-items write a number each. Empty ones are skipped by softgpu.
void launchManySmallAndRead(Scene& s) {
  for (int i = 0; i < 64; ++i) launchWork(s, 1, 1);
  s.finish();
}

// A program that waits for every kernel. An empty one costs softgpu nothing, so that everything would be dear beside
// it; programs of this kind (tests of libraries, mostly) have some 50 us of work for each wait, and so has this.
void workAndSynchronize(Scene& s) {
  launchWork(s, 4);
  synchronize(s);
}

// A step of a program made of many small kernels, launched one by one and as a graph.
constexpr int kStepKernels = 200;
void launchStep(Scene& s) {
  for (int i = 0; i < kStepKernels; ++i) s.launch();
}
void launchStepAndSynchronize(Scene& s) {
  launchStep(s);
  synchronize(s);
}
void capture(Scene& s, void (*step)(Scene&)) {
  hipGraph_t graph = nullptr;
  HIPR_CHECK(s.hip, hipStreamBeginCapture(s.hip.stream, hipStreamCaptureModeRelaxed));
  step(s);
  HIPR_CHECK(s.hip, hipStreamEndCapture(s.hip.stream, &graph));
  HIPR_CHECK(s.hip, hipGraphInstantiate(&s.step, graph, nullptr, nullptr, 0));
  HIPR_CHECK(s.hip, hipGraphDestroy(graph));
}
void captureStep(Scene& s) {
  capture(s, launchStep);
}
void captureWork(Scene& s) {
  capture(s, [](Scene& scene) {
    for (int i = 0; i < kStepKernels; ++i) launchWork(scene, 4);
  });
}
void replay(Scene& s) {
  HIPR_CHECK(s.hip, hipGraphLaunch(s.step, s.hip.stream));
}
void replayAndSynchronize(Scene& s) {
  replay(s);
  synchronize(s);
}

template <int times>
void replayManyAndSynchronize(Scene& s) {
  for (int i = 0; i < times; ++i) replay(s);
  synchronize(s);
}

const Line kLines[] = {
    {"local_device", "hipGetDevice", getDevice, 20000, 15},
    {"local_attribute", "hipDeviceGetAttribute", getAttribute, 20000, 15},
    {"local_stream_query", "hipStreamQuery of an idle stream", queryIdleStream, 20000, 15},
    {"launch_posted", "launch, writer awake", launch, 2000, 15},
    {"launch_posted_asleep", "launch, writer asleep", launch, 300, 15, 4096, kBriefPause},
    {"event_cycle", "event create + record + destroy", eventCycle, 2000, 15},
    {"malloc_free", "4 MiB hipMalloc + hipFree", allocateAndFree, 1000, 15},
    {"mem_info", "hipMemGetInfo", memoryInfo, 500, 15},
    {"launch_sync", "launch + synchronize", launchAndSynchronize, 500, 15},
    {"launch_sync_idle", "launch + synchronize, 2 ms after the last", launchAndSynchronize, 50, 9, 4096, kLongPause},
    {"read_8", "read of 8 bytes", read, 500, 15},
    {"read_8_idle", "read of 8 bytes, 2 ms after the last", read, 50, 9, 4096, kLongPause},
    {"launch64_read", "64 launches of an empty kernel + read of 8 bytes", launchManyAndRead, 100, 15},
    {"launch64_small_read", "64 launches of a small kernel + read of 8 bytes", launchManySmallAndRead, 50, 15,
     kWorkBytes},
    {"upload_sync", "4 KiB to the device + synchronize", upPageable, 500, 15},
    {"up_256k_pageable", "256 KiB to the device + synchronize, pageable", upPageable, 100, 15, kSmall},
    {"up_256k_pinned", "256 KiB to the device + synchronize, pinned", upPinned, 100, 15, kSmall},
    {"up_1m_pageable", "1 MiB to the device + synchronize, pageable", upPageable, 50, 15, kMiddle},
    {"up_1m_pinned", "1 MiB to the device + synchronize, pinned", upPinned, 50, 15, kMiddle},
    {"down_256k_pageable", "256 KiB to the host + synchronize, pageable", downPageable, 100, 15, kSmall},
    {"down_256k_pinned", "256 KiB to the host + synchronize, pinned", downPinned, 100, 15, kSmall},
    {"down_1m_pageable", "1 MiB to the host + synchronize, pageable", downPageable, 50, 15, kMiddle},
    {"down_1m_pinned", "1 MiB to the host + synchronize, pinned", downPinned, 50, 15, kMiddle},
    {"up_256m_pageable", "256 MiB to the device + synchronize, pageable", upPageable, 1, 7, kLarge},
    {"up_256m_pinned", "256 MiB to the device + synchronize, pinned", upPinned, 1, 7, kLarge},
    {"down_256m_pageable", "256 MiB to the host + synchronize, pageable", downPageable, 1, 7, kLarge},
    {"down_256m_pinned", "256 MiB to the host + synchronize, pinned", downPinned, 1, 7, kLarge},
    {"step", "200 launches + synchronize", launchStepAndSynchronize, 50, 15},
    {"graph_step", "the same captured and replayed + synchronize", replayAndSynchronize, 50, 15, 4096, 0, captureStep},
    {"graph", "the same, 10 replays for each synchronize", replayManyAndSynchronize<10>, 20, 5, 4096, 0, captureStep},
    {"graph_posted", "one replay, posted", replay, 200, 15, 4096, 0, captureStep},
    {"graph_working", "200 working kernels captured, 100 replays for each synchronize", replayManyAndSynchronize<100>,
     1, 3, kWorkBytes, 0, captureWork},
    {"working_kernels", "100 working kernels + synchronize", workingKernels, 2, 7, kWorkBytes},
    {"many_waits", "small working kernel + synchronize, 5000 times", workAndSynchronize, 5000, 5, kWorkBytes},
};

}  // namespace

Scene::Scene(const std::string& library, std::size_t bytes) : bytes(bytes), pageable(bytes, 1) {
  if (const Status status = hip.load(library); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    std::exit(1);
  }
  HIPR_CHECK(hip, hipMalloc(&device, bytes));
  HIPR_CHECK(hip, hipHostMalloc(&pinned, bytes, 0));
  HIPR_CHECK(hip, hipMemset(device, 1, bytes));
  launch();  // what the first use of a kernel costs is not an operation's
  launchWork(*this, 1);
  finish();
}

Scene::~Scene() {
  if (step != nullptr) HIPR_CHECK(hip, hipGraphExecDestroy(step));
  HIPR_CHECK(hip, hipHostFree(pinned));
  HIPR_CHECK(hip, hipFree(device));
}

void Scene::launch() const {
  int argument = 0;
  void* arguments[] = {&argument};
  hip.launch(hip.empty, 1, 64, arguments);
}

void Scene::finish() const {
  std::uint64_t result = 0;
  HIPR_CHECK(hip, hipMemcpyAsync(&result, device, sizeof result, hipMemcpyDeviceToHost, hip.stream));
  HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
}

std::span<const Line> lines() {
  return kLines;
}

const Line* findLine(std::string_view key) {
  for (const Line& line : kLines) {
    if (line.key == key) return &line;
  }
  return nullptr;
}

}  // namespace hipr::bench
