// The same source built with per-thread default streams: every call that names no stream uses the thread's own (_spt
// calls). build: -DHIP_API_PER_THREAD_DEFAULT_STREAM -fgpu-default-stream=per-thread
#include "graph_support.h"

#include <thread>

__global__ void add(int* p, int v) {
  *p += v;
}

TEST(launches_without_a_stream_use_the_threads_own) {
  Buffer<int> p(1), q(1);
  p.fill(0);
  q.fill(0);
  HIP(hipDeviceSynchronize());
  Gate gate(hipStreamPerThread);  // holds what a null stream means in this thread
  hipError_t there = hipErrorUnknown;
  int seen = 0;
  std::thread([&] {
    add<<<1, 1>>>(q, 5);
    there = hipMemcpyAsync(&seen, q, sizeof seen, hipMemcpyDeviceToHost, nullptr);
    if (there == hipSuccess) there = hipStreamSynchronize(nullptr);
  }).join();
  EXPECT_EQ(there, hipSuccess);
  EXPECT_EQ(seen, 5);
  EXPECT(gate.held());
  add<<<1, 1>>>(p, 8);
  KERNEL_OK();
  HIP_ERR(hipStreamQuery(nullptr), hipErrorNotReady);
  HIP_ERR(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
  gate.open();
  HIP(hipStreamSynchronize(nullptr));
  EXPECT_EQ(p.download()[0], 8);
}

TEST(copies_without_a_stream) {
  const std::vector<int> in{1, 2, 3, 4};
  std::vector<int> out(4);
  Buffer<int> d(4);
  HIP(hipMemcpy(d, in.data(), 16, hipMemcpyHostToDevice));
  HIP(hipMemset(d + 1, 0, 4));
  add<<<1, 1>>>(d, 10);
  HIP(hipMemcpyAsync(out.data(), d, 16, hipMemcpyDeviceToHost, nullptr));
  HIP(hipStreamSynchronize(hipStreamPerThread));
  EXPECT_VEC(out, (std::vector<int>{11, 0, 3, 4}));
  HIP(hipMemcpy2D(out.data(), 8, d, 8, 4, 2, hipMemcpyDeviceToHost));
  check::result(out);
}

TEST(captures_without_a_stream) {
  const auto begin = later::find<hipError_t(hipStream_t, hipStreamCaptureMode)>("hipStreamBeginCapture_spt");
  const auto end = later::find<hipError_t(hipStream_t, hipGraph_t*)>("hipStreamEndCapture_spt");
  const auto launch = later::find<hipError_t(hipGraphExec_t, hipStream_t)>("hipGraphLaunch_spt");
  Buffer<int> d(std::vector<int>{0});
  int seen = -1;
  HIP(begin(nullptr, hipStreamCaptureModeGlobal));
  add<<<1, 1>>>(d, 3);
  HIP(hipMemcpyAsync(&seen, d, sizeof seen, hipMemcpyDeviceToHost, nullptr));
  hipGraph_t captured = nullptr;
  HIP(end(nullptr, &captured));
  Graph graph(captured);
  EXPECT_EQ(chainOf(graph), std::string("kernel copy"));
  EXPECT_EQ(seen, -1);
  const Exec exec(graph);
  HIP(launch(exec, nullptr));
  HIP(launch(exec, nullptr));
  HIP(hipStreamSynchronize(hipStreamPerThread));
  EXPECT_EQ(seen, 6);
}
