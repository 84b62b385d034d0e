// What a capture forbids, in its three modes, to its own thread and to others; how it becomes invalid, and where and by
// whom it can be ended.
#include "capture_support.h"

#include <functional>
#include <thread>

__global__ void add(int* p, int v) {
  *p += v;
}
__device__ int variable[4];

// Ends a capture that must have become invalid, and shows that the stream can be used again.
static void expectInvalidated(hipStream_t s) {
  hipGraph_t graph = nullptr;
  HIP_ERR(hipStreamEndCapture(s, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);
  begin(s, hipStreamCaptureModeRelaxed);
  Graph again(end(s));
  EXPECT_EQ(nodesOf(again).size(), std::size_t(0));
}

TEST(wrong_begins_and_ends) {
  Stream s, other;
  hipGraph_t graph = nullptr;
  HIP_ERR(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
  HIP_ERR(hipStreamBeginCapture(s, static_cast<hipStreamCaptureMode>(9)), hipErrorInvalidValue);
  HIP_ERR(hipStreamEndCapture(nullptr, &graph), hipErrorIllegalState);
  HIP_ERR(hipStreamEndCapture(s, &graph), hipErrorIllegalState);
  HIP_ERR(hipStreamEndCapture(s, nullptr), hipErrorInvalidValue);
  begin(s);
  HIP_ERR(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipErrorIllegalState);
  HIP_ERR(hipStreamEndCapture(other, &graph), hipErrorIllegalState);
  HIP_ERR(hipStreamEndCapture(s, nullptr), hipErrorInvalidValue);
  Graph ended(end(s));
  HIP_ERR(hipStreamEndCapture(s, &graph), hipErrorIllegalState);
}

TEST(a_capture_ends_where_it_began) {
  Buffer<int> p(1);
  Stream s, fork;
  Event forked, over;
  begin(s);
  add<<<1, 1, 0, s>>>(p, 1);
  HIP(hipEventRecord(forked, s));
  HIP(hipStreamWaitEvent(fork, forked, 0));
  add<<<1, 1, 0, fork>>>(p, 1);
  hipGraph_t graph = nullptr;
  HIP_ERR(hipStreamEndCapture(fork, &graph), hipErrorStreamCaptureUnmatched);
  HIP(hipEventRecord(over, fork));
  HIP(hipStreamWaitEvent(s, over, 0));
  Graph ended(end(s));
  EXPECT_EQ(chainOf(ended), std::string("kernel kernel"));
}

TEST(a_capture_ends_in_its_thread_unless_it_is_relaxed) {
  for (auto mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed}) {
    Stream s;
    begin(s, mode);
    hipGraph_t graph = nullptr;
    hipError_t there = hipErrorUnknown;
    std::thread([&] { there = hipStreamEndCapture(s, &graph); }).join();
    if (mode == hipStreamCaptureModeRelaxed) {
      HIP_ERR(there, hipSuccess);
    } else {
      HIP_ERR(there, hipErrorStreamCaptureWrongThread);
      graph = end(s);
    }
    Graph ended(graph);
    EXPECT(graph != nullptr);
  }
}

// What makes a capture invalid: each call, with what it returns.
struct Forbidden {
  const char* name;
  hipError_t expected;
  std::function<hipError_t(hipStream_t capturing)> call;
};

TEST(calls_that_wait_make_a_capture_invalid) {
  Buffer<int> p(16);
  std::vector<int> host(16);
  p.fill(0);
  HIP(hipDeviceSynchronize());
  Stream other;
  const Forbidden all[] = {
      {"stream synchronize", hipErrorStreamCaptureUnsupported, [](hipStream_t s) { return hipStreamSynchronize(s); }},
      {"stream query", hipErrorStreamCaptureUnsupported, [](hipStream_t s) { return hipStreamQuery(s); }},
      {"other stream synchronize", hipErrorStreamCaptureUnsupported,
       [&](hipStream_t) { return hipStreamSynchronize(other); }},
      {"upload", hipErrorStreamCaptureImplicit,
       [&](hipStream_t) { return hipMemcpy(p, host.data(), 64, hipMemcpyHostToDevice); }},
      {"download", hipErrorStreamCaptureImplicit,
       [&](hipStream_t) { return hipMemcpy(host.data(), p, 64, hipMemcpyDeviceToHost); }},
      {"fill", hipErrorStreamCaptureImplicit, [&](hipStream_t) { return hipMemset(p, 0, 64); }},
      {"2D copy", hipErrorStreamCaptureImplicit,
       [&](hipStream_t) { return hipMemcpy2D(p, 16, host.data(), 16, 16, 2, hipMemcpyHostToDevice); }},
      {"to a symbol", hipErrorStreamCaptureImplicit,
       [&](hipStream_t) { return hipMemcpyToSymbol(HIP_SYMBOL(variable), host.data(), 16, 0, hipMemcpyHostToDevice); }},
  };
  for (const Forbidden& each : all) {
    Stream s;
    begin(s);
    add<<<1, 1, 0, s>>>(p, 1);
    const hipError_t result = each.call(s);
    if (result != each.expected)
      check::fail(__FILE__, __LINE__, std::string(each.name) + ": " + hipGetErrorName(result));
    EXPECT_EQ(statusOf(s), hipStreamCaptureStatusInvalidated);
    HIP_ERR(hipMemsetAsync(p, 0, 64, s), hipErrorStreamCaptureInvalidated);
    expectInvalidated(s);
  }
  EXPECT_VEC(p.download(), std::vector<int>(16, 0));
}

TEST(memory_cannot_be_had_during_a_capture) {
  void* before = nullptr;
  HIP(hipMalloc(&before, 64));
  const Forbidden all[] = {
      {"hipMalloc", hipErrorStreamCaptureUnsupported,
       [](hipStream_t) {
         void* p = nullptr;
         return hipMalloc(&p, 64);
       }},
      {"hipFree", hipErrorStreamCaptureUnsupported, [&](hipStream_t) { return hipFree(before); }},
      {"hipHostMalloc", hipErrorStreamCaptureUnsupported,
       [](hipStream_t) {
         void* p = nullptr;
         return hipHostMalloc(&p, 64, 0);
       }},
      {"hipMallocPitch", hipErrorStreamCaptureUnsupported,
       [](hipStream_t) {
         void* p = nullptr;
         std::size_t pitch = 0;
         return hipMallocPitch(&p, &pitch, 64, 2);
       }},
  };
  for (const Forbidden& each : all) {
    for (auto mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal}) {
      Stream s;
      begin(s, mode);
      const hipError_t result = each.call(s);
      if (result != each.expected)
        check::fail(__FILE__, __LINE__, std::string(each.name) + ": " + hipGetErrorName(result));
      expectInvalidated(s);
    }
  }
  HIP(hipFree(before));
}

// tests/abi/capture.cpp tells since when each of them is refused.
TEST(what_this_version_allows_during_a_capture) {
  Buffer<int> p(1);
  p.fill(0);
  Stream s;
  begin(s);
  add<<<1, 1, 0, s>>>(p, 1);
  HIP(hipDeviceSynchronize());
  int called = 0;
  const auto count = [](hipStream_t, hipError_t, void* calls) { ++*static_cast<int*>(calls); };
  HIP(hipStreamAddCallback(s, count, &called, 0));
  HIP(hipStreamAddCallback(nullptr, count, &called, 0));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(called, 2);
  void* managed = nullptr;
  HIP(hipMallocManaged(&managed, 64, hipMemAttachGlobal));
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("kernel"));
  HIP(hipFree(managed));
}

TEST(a_relaxed_capture_lets_memory_be_had) {
  Stream s;
  begin(s, hipStreamCaptureModeRelaxed);
  int* p = nullptr;
  HIP(hipMalloc(reinterpret_cast<void**>(&p), 64));
  HIP(hipMemsetAsync(p, 0, 64, s));
  add<<<1, 1, 0, s>>>(p, 5);
  KERNEL_OK();
  Graph graph(end(s));
  Exec(graph).run(s);
  int seen = 0;
  HIP(hipMemcpy(&seen, p, sizeof seen, hipMemcpyDeviceToHost));
  EXPECT_EQ(seen, 5);
  HIP(hipFree(p));
}

TEST(a_thread_may_relax_for_itself) {
  Stream s;
  begin(s);
  auto mode = hipStreamCaptureModeRelaxed;
  HIP(hipThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, hipStreamCaptureModeGlobal);
  void* p = nullptr;
  HIP(hipMalloc(&p, 64));
  HIP(hipFree(p));
  HIP(hipThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, hipStreamCaptureModeRelaxed);
  Graph graph(end(s));
  mode = static_cast<hipStreamCaptureMode>(9);
  HIP_ERR(hipThreadExchangeStreamCaptureMode(&mode), hipErrorInvalidValue);
  HIP_ERR(hipThreadExchangeStreamCaptureMode(nullptr), hipErrorInvalidValue);
}

// A global capture forbids it to other threads too, one of a thread only to that thread.
TEST(what_other_threads_may_do) {
  for (auto mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed}) {
    for (bool relaxed : {false, true}) {
      Stream s;
      begin(s, mode);
      hipError_t there = hipErrorUnknown;
      std::thread([&] {
        auto own = hipStreamCaptureModeRelaxed;
        if (relaxed) (void)hipThreadExchangeStreamCaptureMode(&own);
        void* p = nullptr;
        there = hipMalloc(&p, 64);
        if (there == hipSuccess) there = hipFree(p);
      }).join();
      if (mode == hipStreamCaptureModeGlobal && !relaxed) {
        HIP_ERR(there, hipErrorStreamCaptureUnsupported);
        expectInvalidated(s);
      } else {
        HIP_ERR(there, hipSuccess);
        Graph graph(end(s));
      }
    }
  }
}

TEST(callbacks_of_other_streams_and_memory_with_flags_are_allowed) {
  Stream s, other(hipStreamNonBlocking);
  begin(s);
  int called = 0;
  HIP(hipStreamAddCallback(other, [](hipStream_t, hipError_t, void* count) { ++*static_cast<int*>(count); }, &called,
                           0));
  void* p = nullptr;
  HIP(hipExtMallocWithFlags(&p, 64, hipDeviceMallocFinegrained));
  Graph graph(end(s));
  HIP(hipStreamSynchronize(other));
  EXPECT_EQ(called, 1);
  HIP(hipFree(p));
}

TEST(events_of_a_capture_cannot_be_waited_for) {
  Buffer<int> p(1);
  const std::function<hipError_t(hipEvent_t)> calls[] = {[](hipEvent_t e) { return hipEventQuery(e); },
                                                         [](hipEvent_t e) { return hipEventSynchronize(e); }};
  for (const auto& call : calls) {
    Stream s;
    Event e;
    begin(s);
    add<<<1, 1, 0, s>>>(p, 1);
    HIP(hipEventRecord(e, s));
    HIP_ERR(call(e), hipErrorCapturedEvent);
    expectInvalidated(s);
  }
}

TEST(destroying_a_stream_ends_its_capture) {
  hipStream_t s = nullptr;
  HIP(hipStreamCreate(&s));
  begin(s);
  HIP(hipStreamDestroy(s));
  void* p = nullptr;  // nobody captures any more
  HIP(hipMalloc(&p, 64));
  HIP(hipMemset(p, 0, 64));
  HIP(hipFree(p));
}
