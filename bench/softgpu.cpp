#include "bench/softgpu.h"

#include <cstdio>
#include <cstdlib>

extern "C" const char hiprBenchKernels[];

namespace hipr::bench {

Softgpu::Softgpu(unsigned threads) {
  setenv("HIP_REMOTE_SOFTGPU", "gfx90a", 1);
  setenv("HIP_REMOTE_SOFTGPU_THREADS", std::to_string(threads).c_str(), 1);
  if (Status status = hip_.load(testing::softgpuLibrary()); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    std::exit(1);
  }
  HIPR_CHECK(hip_, hipModuleLoadData(&module_, hiprBenchKernels));
}

hipFunction_t Softgpu::kernel(const char* name) const {
  hipFunction_t function = nullptr;
  HIPR_CHECK(hip_, hipModuleGetFunction(&function, module_, name));
  return function;
}

void Softgpu::launch(hipFunction_t kernel, Groups groups, unsigned items, unsigned lds,
                     std::initializer_list<void*> arguments) const {
  std::vector<void*> list(arguments);
  HIPR_CHECK(hip_,
             hipModuleLaunchKernel(kernel, groups.x, groups.y, 1, items, 1, 1, lds, hip_.stream, list.data(), nullptr));
}

void* Softgpu::allocate(std::size_t bytes) const {
  void* memory = nullptr;
  HIPR_CHECK(hip_, hipMalloc(&memory, bytes));
  return memory;
}

void measureSoftgpu(Report& report, const std::string& pattern) {
  const Softgpu gpu(1);
  measureFamilies(report, gpu, pattern);
  if (!pattern.empty()) return;
  measureKernels(report, gpu);
  measureScaling(report);
}

}  // namespace hipr::bench
