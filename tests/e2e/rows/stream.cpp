// Streams and host functions.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

hipStream_t newStream(Scene& s) {
  hipStream_t stream = nullptr;
  HIPR_OK(s, hipStreamCreate(&stream));
  return stream;
}

void ignore(void*) {}
void ignoreStream(hipStream_t, hipError_t, void*) {}

}  // namespace

void addStreamRows(Book& book) {
  ROW(hipExtStreamCreateWithCUMask).standard([](Scene& s, auto f) {
    hipStream_t stream = nullptr;
    const std::uint32_t mask[] = {~0u, ~0u, ~0u, ~0u};
    s.call(f, &stream, 4u, mask);
    HIPR_OK(s, hipStreamDestroy(stream));
  });
  ROW(hipExtStreamGetCUMask).standard([](Scene& s, auto f) {
    std::uint32_t mask[16];
    s.call(f, s.stream, 16u, mask);
  });
  ROW(hipLaunchHostFunc).standard([](Scene& s, auto f) { s.call(f, s.stream, &ignore, nullptr); });
  ROW(hipStreamAddCallback).standard([](Scene& s, auto f) { s.call(f, s.stream, &ignoreStream, nullptr, 0u); });
  ROW(hipStreamWriteValue32).standard([](Scene& s, auto f) { s.call(f, s.stream, s.device, 1u, 0u); });
  ROW(hipStreamWriteValue64)
      .standard([](Scene& s, auto f) { s.call(f, s.stream, s.device, std::uint64_t{1}, 0u); })
      .standard("into host memory", [](Scene& s, auto f) {
        void* pinned = nullptr;
        HIPR_OK(s, hipHostMalloc(&pinned, 64, 0));
        s.call(f, s.stream, pinned, std::uint64_t{1}, 0u);
        HIPR_OK(s, hipHostFree(pinned));
      });
  ROW(hipStreamWaitValue32).standard([](Scene& s, auto f) { s.call(f, s.stream, s.device, 0u, 0u, ~0u); });
  ROW(hipStreamWaitValue64).standard([](Scene& s, auto f) {
    s.call(f, s.stream, s.device, std::uint64_t{0}, 0u, ~std::uint64_t{0});
  });
  ROW(hipStreamBatchMemOp).standard([](Scene& s, auto f) {
    hipStreamBatchMemOpParams steps[2] = {};
    steps[0].writeValue.operation = hipStreamMemOpWriteValue32;
    steps[1].waitValue.operation = hipStreamMemOpWaitValue32;
    steps[0].writeValue.address = steps[1].waitValue.address = s.device;
    s.call(f, s.stream, 2u, steps, 0u);
  });
  ROW(hipStreamCopyAttributes).standard([](Scene& s, auto f) {
    hipStream_t stream = newStream(s);
    s.call(f, stream, s.stream);
    HIPR_OK(s, hipStreamDestroy(stream));
  });
  ROW(hipStreamCreate).standard([](Scene& s, auto f) {
    hipStream_t stream = nullptr;
    s.call(f, &stream);
    HIPR_OK(s, hipStreamDestroy(stream));
  });
  ROW(hipStreamCreateWithFlags).standard([](Scene& s, auto f) {
    hipStream_t stream = nullptr;
    s.call(f, &stream, unsigned{hipStreamNonBlocking});
    HIPR_OK(s, hipStreamDestroy(stream));
  });
  ROW(hipStreamCreateWithPriority).standard([](Scene& s, auto f) {
    hipStream_t stream = nullptr;
    s.call(f, &stream, unsigned{hipStreamNonBlocking}, 0);
    HIPR_OK(s, hipStreamDestroy(stream));
  });
  ROW(hipStreamDestroy)
      .standard("with a function of the program on it",
                [](Scene& s, auto f) {
                  hipStream_t stream = newStream(s);
                  const auto work = [&] { HIPR_OK(s, hipLaunchHostFunc(stream, [](void*) {}, nullptr)); };
                  s.behind(work).call(f, stream);
                })
      .post("idle", [](Scene& s, auto f) { s.call(f, newStream(s)); })
      .post("with work on it", [](Scene& s, auto f) {
        hipStream_t stream = newStream(s);
        const auto work = [&] { HIPR_OK(s, hipMemsetAsync(s.device, 0, 64, stream)); };
        s.behind(work).call(f, stream);
      });
  ROW(hipStreamGetAttribute).standard([](Scene& s, auto f) {
    hipLaunchAttributeValue value{};
    s.call(f, s.stream, hipLaunchAttributePriority, &value);
  });
  ROW(hipStreamSetAttribute).standard([](Scene& s, auto f) {
    hipLaunchAttributeValue value{};
    value.syncPolicy = hipSyncPolicyAuto;
    s.call(f, s.stream, hipLaunchAttributeSynchronizationPolicy, &value);
  });
  ROW(hipStreamGetDevice).standard([](Scene& s, auto f) {
    hipDevice_t device;
    s.call(f, s.stream, &device);
  });
  ROW(hipStreamGetFlags).standard([](Scene& s, auto f) {
    unsigned flags = 0;
    s.call(f, s.stream, &flags);
  });
  ROW(hipStreamGetId).standard([](Scene& s, auto f) {
    unsigned long long id = 0;
    s.call(f, s.stream, &id);
  });
  ROW(hipStreamGetPriority).standard([](Scene& s, auto f) {
    int priority = 0;
    s.call(f, s.stream, &priority);
  });
  ROW(hipStreamIsCapturing).standard([](Scene& s, auto f) {
    hipStreamCaptureStatus status;
    s.call(f, s.stream, &status);
  });
  ROW(hipStreamGetCaptureInfo).standard([](Scene& s, auto f) {
    hipStreamCaptureStatus status;
    unsigned long long id = 0;
    s.call(f, s.stream, &status, &id);
  });
  ROW(hipStreamGetCaptureInfo_v2).standard([](Scene& s, auto f) {
    hipStreamCaptureStatus status;
    unsigned long long id = 0;
    s.call(f, s.stream, &status, &id, nullptr, nullptr, nullptr);
  });
  ROW(hipThreadExchangeStreamCaptureMode).standard([](Scene& s, auto f) {
    hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
    s.call(f, &mode);
  });
  ROW(hipStreamQuery)
      .standard("behind a free, which would have waited",
                [](Scene& s, auto f) {
                  void* block = nullptr;
                  HIPR_OK(s, hipMalloc(&block, 256));
                  const auto work = [&] {
                    s.launch();
                    HIPR_OK(s, hipFree(block));
                  };
                  s.behind(work).call(f, s.stream);
                })
      .local("idle", [](Scene& s, auto f) { s.call(f, s.stream); })
      .local("idle, the default stream", [](Scene& s, auto f) { s.call(f, hipStream_t(nullptr)); })
      .post("not ready: the worker will say when",
            [](Scene& s, auto f) { s.behind([&] { s.launch(); }).expect(hipErrorNotReady).call(f, s.stream); })
      .local("not ready, asked again", [](Scene& s, auto f) {
        const auto work = [&] {
          s.launch();
          static_cast<void>(f(s.stream));
        };
        s.behind(work).expect(hipErrorNotReady).call(f, s.stream);
      });
  ROW(hipStreamSynchronize)
      .standard("behind a kernel", [](Scene& s, auto f) { s.behind([&] { s.launch(); }).call(f, s.stream); })
      .local("idle", [](Scene& s, auto f) { s.call(f, s.stream); });
  ROW(hipStreamWaitEvent)
      .standard("of an event that is over", [](Scene& s, auto f) { s.call(f, s.stream, s.last, 0u); })
      .standard("of an event behind a kernel", [](Scene& s, auto f) {
        const auto work = [&] {
          s.launch();
          HIPR_OK(s, hipEventRecord(s.last, s.stream));
        };
        s.behind(work).call(f, hipStream_t(nullptr), s.last, 0u);
      });
}

}  // namespace hipr::rows
