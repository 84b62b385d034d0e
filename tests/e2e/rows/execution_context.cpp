// Execution contexts, the parts of a device they are made of, and the profiler.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

hipDevResource whole(Scene& s) {
  hipDevResource resource;
  HIPR_OK(s, hipDeviceGetDevResource(0, &resource, hipDevResourceTypeSm));
  return resource;
}

hipDevResourceDesc_t description(Scene& s) {
  hipDevResource resource = whole(s);
  hipDevResourceDesc_t made = nullptr;
  HIPR_OK(s, hipDevResourceGenerateDesc(&made, &resource, 1));
  return made;
}

// One measured call with a context that has two streams.
template <class Call>
auto withContext(Call call) {
  return [=](Scene& s, auto f) {
    hipExecutionCtx_t context = nullptr;
    hipStream_t streams[2];
    HIPR_OK(s, hipGreenCtxCreate(&context, description(s), 0, 0));
    for (hipStream_t& stream : streams) HIPR_OK(s, hipExecutionCtxStreamCreate(&stream, context, 0, 0));
    call(s, f, context, streams[1]);
    for (hipStream_t stream : streams) HIPR_OK(s, hipStreamDestroy(stream));
    HIPR_OK(s, hipExecutionCtxDestroy(context));
  };
}

}  // namespace

void addExecutionContextRows(Book& book) {
  ROW(hipDeviceGetDevResource).standard([](Scene& s, auto f) {
    hipDevResource resource;
    s.call(f, 0, &resource, hipDevResourceTypeSm);
  });
  ROW(hipStreamGetDevResource).standard([](Scene& s, auto f) {
    hipDevResource resource;
    s.call(f, s.stream, &resource, hipDevResourceTypeSm);
  });
  ROW(hipDevSmResourceSplitByCount).standard([](Scene& s, auto f) {
    hipDevResource parts[2], rest, input = whole(s);
    unsigned count = 2;
    s.call(f, parts, &count, &input, &rest, 0u, 4u);
  });
  ROW(hipDevSmResourceSplit).standard([](Scene& s, auto f) {
    hipDevResource parts[2], rest, input = whole(s);
    hipDevSmResourceGroupParams groups[2] = {};
    groups[0].smCount = 4;
    s.call(f, parts, 2u, &input, &rest, 0u, groups);
  });
  ROW(hipDevResourceGenerateDesc).standard([](Scene& s, auto f) {
    hipDevResource resource = whole(s);
    hipDevResourceDesc_t made = nullptr;
    s.call(f, &made, &resource, 1u);
  });
  ROW(hipGreenCtxCreate).standard([](Scene& s, auto f) {
    hipExecutionCtx_t context = nullptr;
    s.call(f, &context, description(s), 0, 0u);
    HIPR_OK(s, hipExecutionCtxDestroy(context));
  });
  ROW(hipExecutionCtxDestroy).standard([](Scene& s, auto f) {
    hipExecutionCtx_t context = nullptr;
    HIPR_OK(s, hipGreenCtxCreate(&context, description(s), 0, 0));
    s.call(f, context);
  });
  ROW(hipDeviceGetExecutionCtx).standard([](Scene& s, auto f) {
    hipExecutionCtx_t context = nullptr;
    s.call(f, &context, 0);
  });
  ROW(hipExecutionCtxGetDevResource).standard(withContext([](Scene& s, auto f, hipExecutionCtx_t context, hipStream_t) {
    hipDevResource resource;
    s.call(f, context, &resource, hipDevResourceTypeSm);
  }));
  ROW(hipExecutionCtxGetDevice).standard(withContext([](Scene& s, auto f, hipExecutionCtx_t context, hipStream_t) {
    int device = -1;
    s.call(f, &device, context);
  }));
  ROW(hipExecutionCtxGetId).standard(withContext([](Scene& s, auto f, hipExecutionCtx_t context, hipStream_t) {
    unsigned long long id = 0;
    s.call(f, context, &id);
  }));
  ROW(hipExecutionCtxStreamCreate).standard(withContext([](Scene& s, auto f, hipExecutionCtx_t context, hipStream_t) {
    hipStream_t stream = nullptr;
    s.call(f, &stream, context, 0u, 0);
    HIPR_OK(s, hipStreamDestroy(stream));
  }));
  ROW(hipExecutionCtxRecordEvent).standard(withContext([](Scene& s, auto f, hipExecutionCtx_t context, hipStream_t) {
    s.call(f, context, s.first);
  }));
  ROW(hipExecutionCtxWaitEvent)
      .standard("for work that is unfinished",
                withContext([](Scene& s, auto f, hipExecutionCtx_t context, hipStream_t) {
                  s.behind([&] {
                    s.launch();
                    HIPR_OK(s, hipEventRecord(s.first, s.stream));
                  });
                  s.call(f, context, s.first);
                }));
  ROW(hipExecutionCtxSynchronize)
      .standard("one of its streams has work",
                withContext([](Scene& s, auto f, hipExecutionCtx_t context, hipStream_t stream) {
                  s.behind([&] {
                    HIPR_OK(s, hipModuleLaunchKernel(s.store, 1, 1, 1, 1, 1, 1, 0, stream, s.arguments(), nullptr));
                  });
                  s.call(f, context);
                }))
      .local("idle", withContext([](Scene& s, auto f, hipExecutionCtx_t context, hipStream_t) { s.call(f, context); }));

  ROW(hipOccupancyMaxActiveClusters).standard([](Scene& s, auto f) {
    int count = 0;
    const hipLaunchConfig_t config{};
    s.expect(hipErrorInvalidClusterSize).call(f, &count, &s.kernel, &config);
  });
  ROW(hipOccupancyMaxPotentialClusterSize).standard([](Scene& s, auto f) {
    int size = 0;
    const hipLaunchConfig_t config{};
    s.expect(hipErrorInvalidClusterSize).call(f, &size, &s.kernel, &config);
  });
  ROW(hipDeviceGetExecAffinitySupport).standard([](Scene& s, auto f) {
    int supported = 0;
    s.call(f, &supported, hipExecAffinityTypeCUCount, 0);
  });
  ROW(hipDeviceFlushGPUDirectRDMAWrites).standard([](Scene& s, auto f) {
    s.expect(hipErrorNotSupported)
        .call(f, hipFlushGPUDirectRDMAWritesTargetCurrentDevice, hipFlushGPUDirectRDMAWritesToOwner);
  });

  const auto inVersion7 = [](Scene& s) { s.expect(s.abi >= 7 ? hipSuccess : hipErrorNotSupported); };
  ROW(hipProfilerStart).standard([=](Scene& s, auto f) {
    inVersion7(s);
    s.call(f);
    (void)s.hip.hipProfilerStop();
  });
  ROW(hipProfilerStop).standard([=](Scene& s, auto f) {
    inVersion7(s);
    s.call(f);
  });
  ROW(hipProfilerEnableExt).standard([](Scene& s, auto f) {
    std::uint64_t record = 0;
    s.call(f, &record, std::uint64_t{0});
    HIPR_OK(s, hipProfilerDisableExt(&record));
  });
  ROW(hipProfilerDisableExt).standard([](Scene& s, auto f) {
    std::uint64_t record = 0;
    s.call(f, &record);
  });
  ROW(hipProfilerGetRecordsExt).standard([](Scene& s, auto f) {
    const HipApiRecordExt* const* pieces = nullptr;
    std::size_t count = 0, size = 0, total = 0;
    s.call(f, &pieces, &count, &size, &total);
  });
  ROW(hipProfilerRegisterChunkCallbackExt).standard([](Scene& s, auto f) { s.call(f, nullptr, nullptr); });
  ROW(hipExtSetLoggingParams).standard([](Scene& s, auto f) {
    s.call(f, std::size_t{0}, std::size_t{0}, std::size_t{0});
  });
  ROW(hipExtEnableLogging).standard([](Scene& s, auto f) { s.call(f); });
  ROW(hipExtDisableLogging).standard([](Scene& s, auto f) { s.call(f); });
  ROW(hipRegisterTracerCallback).standard([](Scene& s, auto f) { s.call(f, nullptr); });
  ROW(hipGetCmdName).standard([](Scene& s, auto f) { s.call(f, 0u); });
}

}  // namespace hipr::rows
