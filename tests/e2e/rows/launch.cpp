// Kernel launches: always posted.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

constexpr dim3 kOne{1, 1, 1};

}  // namespace

void addLaunchRows(Book& book) {
  ROW(hipLaunchKernel)
      .standard([](Scene& s, auto f) { s.call(f, &s.kernel, kOne, kOne, s.arguments(), std::size_t{0}, s.stream); })
      .standard("that reaches host memory", [](Scene& s, auto f) {
        void* block = nullptr;
        int value = 1;
        void* arguments[] = {&block, &value};
        HIPR_OK(s, hipHostMalloc(&block, Scene::kBytes, 0));
        s.call(f, &s.kernel, kOne, kOne, arguments, std::size_t{0}, s.stream);
        HIPR_OK(s, hipHostFree(block));
      });
  ROW(hipLaunchKernelGGLImpl).standard([](Scene& s, auto f) {
    struct {
      void* to;
      int value;
    } packed{*static_cast<void**>(s.arguments()[0]), *static_cast<int*>(s.arguments()[1])};
    std::size_t size = sizeof packed;
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    s.call(f, reinterpret_cast<uintptr_t>(&s.kernel), &kOne, &kOne, 0u, s.stream, extra);
  });
  ROW(hipExtLaunchKernel).standard([](Scene& s, auto f) {
    s.call(f, &s.kernel, kOne, kOne, s.arguments(), std::size_t{0}, s.stream, s.first, s.last, 0);
  });
  ROW(hipLaunchKernelExC).standard([](Scene& s, auto f) {
    hipLaunchConfig_t config{};
    config.gridDim = config.blockDim = kOne;
    config.stream = s.stream;
    s.call(f, &config, &s.kernel, s.arguments());
  });
  ROW(hipLaunchCooperativeKernel).standard([](Scene& s, auto f) {
    s.call(f, &s.kernel, kOne, kOne, s.arguments(), 0u, s.stream);
  });
  ROW(hipModuleLaunchKernel).standard([](Scene& s, auto f) {
    s.call(f, s.store, 1u, 1u, 1u, 1u, 1u, 1u, 0u, s.stream, s.arguments(), nullptr);
  });
  ROW(hipModuleLaunchCooperativeKernel).standard([](Scene& s, auto f) {
    s.call(f, s.store, 1u, 1u, 1u, 1u, 1u, 1u, 0u, s.stream, s.arguments());
  });
  ROW(hipExtModuleLaunchKernel).standard([](Scene& s, auto f) {
    s.call(f, s.store, 1u, 1u, 1u, 1u, 1u, 1u, std::size_t{0}, s.stream, s.arguments(), nullptr, s.first, s.last, 0u);
  });
  ROW(hipHccModuleLaunchKernel).standard([](Scene& s, auto f) {
    s.call(f, s.store, 1u, 1u, 1u, 1u, 1u, 1u, std::size_t{0}, s.stream, s.arguments(), nullptr, s.first, s.last);
  });
  ROW(hipDrvLaunchKernelEx).standard([](Scene& s, auto f) {
    HIP_LAUNCH_CONFIG config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = s.stream;
    s.call(f, &config, s.store, s.arguments(), nullptr);
  });

  // On two devices.
  const auto pair = [](Scene& s, auto f) {
    hipLaunchParams both[2] = {};
    for (hipLaunchParams& one : both) one = {&s.kernel, kOne, kOne, s.arguments(), 0, s.stream};
    int value = 1;
    void* argumentsAway[] = {&s.away, &value};
    both[1].stream = s.streamAway;
    both[1].args = argumentsAway;
    s.call(f, both, 2, 0u);
    HIPR_OK(s, hipStreamSynchronize(s.streamAway));
  };
  ROW(hipExtLaunchMultiKernelMultiDevice).standard(pair);
  ROW(hipLaunchCooperativeKernelMultiDevice).standard(pair);
  ROW(hipModuleLaunchCooperativeKernelMultiDevice).standard([](Scene& s, auto f) {
    int value = 1;
    void* argumentsAway[] = {&s.away, &value};
    hipFunctionLaunchParams both[2] = {{s.store, 1, 1, 1, 1, 1, 1, 0, s.stream, s.arguments()},
                                       {s.storeAway, 1, 1, 1, 1, 1, 1, 0, s.streamAway, argumentsAway}};
    s.call(f, both, 2u, 0u);
    HIPR_OK(s, hipStreamSynchronize(s.streamAway));
  });

  // The oldest way: a configuration, arguments one by one, then the launch.
  ROW(hipConfigureCall).standard([](Scene& s, auto f) {
    dim3 grid, block;
    std::size_t shared = 0;
    hipStream_t stream = nullptr;
    s.call(f, kOne, kOne, std::size_t{0}, s.stream);
    HIPR_OK(s, __hipPopCallConfiguration(&grid, &block, &shared, &stream));
  });
  ROW(hipSetupArgument).standard([](Scene& s, auto f) {
    dim3 grid, block;
    std::size_t shared = 0;
    hipStream_t stream = nullptr;
    HIPR_OK(s, hipConfigureCall(kOne, kOne, 0, s.stream));
    s.call(f, &s.device, sizeof s.device, std::size_t{0});
    HIPR_OK(s, __hipPopCallConfiguration(&grid, &block, &shared, &stream));
  });
  ROW(hipLaunchByPtr).standard([](Scene& s, auto f) {
    int value = 1;
    HIPR_OK(s, hipConfigureCall(kOne, kOne, 0, s.stream));
    HIPR_OK(s, hipSetupArgument(&s.device, sizeof s.device, 0));
    HIPR_OK(s, hipSetupArgument(&value, sizeof value, sizeof s.device));
    s.call(f, &s.kernel);
  });
}

}  // namespace hipr::rows
