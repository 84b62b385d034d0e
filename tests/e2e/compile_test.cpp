// A program that compiles a kernel with libhiprtc and launches it through a worker: with the compiler here, with the
// compiler on the worker, and without any.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

constexpr char kSaxpy[] = R"(
extern "C" __global__ void saxpy(float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * x[i] + y[i];
})";

template <class F>
F find(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

#define RTC(name) const auto name = find<decltype(&::name)>(library, #name)

// The whole program, in a process of its own. Exits with 0 when y is right, with 10 + the code of a compilation that
// failed, or with something else.
[[noreturn]] void program(int abi) {
  const std::string runtime = testing::remoteLibrary(abi);
  const std::string rtc = runtime.substr(0, runtime.rfind('/')) + "/libhiprtc.so." + std::to_string(abi);
  void* library = dlopen(rtc.c_str(), RTLD_NOW | RTLD_LOCAL);
  testing::Hip hip;
  if (library == nullptr || !loadHip(runtime, hip.api).ok()) _exit(2);
  RTC(hiprtcCreateProgram);
  RTC(hiprtcCompileProgram);
  RTC(hiprtcGetCodeSize);
  RTC(hiprtcGetCode);
  RTC(hiprtcDestroyProgram);
  hiprtcProgram compiled = nullptr;
  if (hiprtcCreateProgram(&compiled, kSaxpy, "saxpy.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS) _exit(3);
  if (const hiprtcResult r = hiprtcCompileProgram(compiled, 0, nullptr); r != HIPRTC_SUCCESS) _exit(10 + r);
  std::size_t size = 0;
  hiprtcGetCodeSize(compiled, &size);
  std::vector<char> code(size);
  hiprtcGetCode(compiled, code.data());
  hiprtcDestroyProgram(&compiled);

  constexpr int kCount = 256;
  std::vector<float> x(kCount), y(kCount);
  for (int i = 0; i < kCount; ++i) x[i] = static_cast<float>(i), y[i] = 1;
  void *dx = nullptr, *dy = nullptr;
  hipModule_t module = nullptr;
  hipFunction_t saxpy = nullptr;
  HIPR_CHECK(hip, hipModuleLoadData(&module, code.data()));
  HIPR_CHECK(hip, hipModuleGetFunction(&saxpy, module, "saxpy"));
  HIPR_CHECK(hip, hipMalloc(&dx, kCount * sizeof(float)));
  HIPR_CHECK(hip, hipMalloc(&dy, kCount * sizeof(float)));
  HIPR_CHECK(hip, hipMemcpy(dx, x.data(), kCount * sizeof(float), hipMemcpyHostToDevice));
  HIPR_CHECK(hip, hipMemcpy(dy, y.data(), kCount * sizeof(float), hipMemcpyHostToDevice));
  float a = 3;
  void* arguments[] = {&a, &dx, &dy};
  HIPR_CHECK(hip, hipModuleLaunchKernel(saxpy, kCount / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  HIPR_CHECK(hip, hipMemcpy(y.data(), dy, kCount * sizeof(float), hipMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i)
    if (y[i] != 3.0f * static_cast<float>(i) + 1) _exit(4);
  std::exit(0);
}

class Compile : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hipr-rtc-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    cache_ = name;
    setenv("HIP_REMOTE_RTC_CACHE", name, 1);
  }
  void TearDown() override { std::filesystem::remove_all(cache_); }

  int run(const char* compiler) const {
    setenv("HIP_REMOTE_COMPILER", compiler, 1);
    const pid_t child = fork();
    if (child == 0) program(GetParam());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::ptrdiff_t kept() const {
    return std::distance(std::filesystem::directory_iterator(cache_), std::filesystem::directory_iterator());
  }
  static bool installed() {
    for (const char* place : {"/usr/lib/x86_64-linux-gnu/libamdhip64.so.5", "/usr/lib/x86_64-linux-gnu/libhiprtc.so.6",
                              "/opt/rocm/lib/libhiprtc.so.6", "/opt/rocm/lib/libhiprtc.so.7"})
      if (std::filesystem::exists(place)) return true;
    return false;
  }

  std::string cache_;
};

constexpr int kNoCompiler = 10 + HIPRTC_ERROR_COMPILATION;

TEST_P(Compile, WithTheCompilerHere) {
  if (!installed()) GTEST_SKIP() << "no hiprtc of AMD's is installed";
  const testing::WorkerProcess worker;
  worker.use();
  EXPECT_EQ(run("installed"), 0);
  EXPECT_EQ(kept(), 1);
}

TEST_P(Compile, WithTheCompilerOnTheWorker) {
  if (!installed()) GTEST_SKIP() << "no hiprtc of AMD's is installed";
  {
    const testing::WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--compile"});
    worker.use();
    EXPECT_EQ(run("worker"), 0);
    EXPECT_EQ(kept(), 1);
  }
  // A second time it is not compiled again: this worker would not.
  const testing::WorkerProcess another;
  another.use();
  EXPECT_EQ(run("worker"), 0);
  EXPECT_EQ(kept(), 1);
}

TEST_P(Compile, AWorkerCompilesOnlyWhenItsOwnerLetsIt) {
  const testing::WorkerProcess worker;
  worker.use();
  EXPECT_EQ(run("worker"), kNoCompiler);
  EXPECT_EQ(kept(), 0);
}

INSTANTIATE_TEST_SUITE_P(Versions, Compile, ::testing::Values(5, 7));

}  // namespace
}  // namespace hipr
