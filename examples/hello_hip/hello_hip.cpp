// Hello, HIP: load an embedded code object, launch its kernel, check the result on the CPU.
// A plain C++ program: compiled by the system's C++ compiler, linked to libamdhip64.
// vector_add_co.h (the code object's bytes) is made from vector_add_kernel.hip by the build.
#if __has_include(<hip/hip_runtime_api.h>)
#include <hip/hip_runtime_api.h>
#else  // a machine without ROCm: the client brings what is needed
#include <hip_remote/hip.h>
#define hipDeviceProp_t hipDeviceProp_tR0600
#define hipGetDeviceProperties hipGetDevicePropertiesR0600
#endif

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "vector_add_co.h"

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

int main() {
  std::printf("=== Hello HIP (Remote) ===\n\n");
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices));
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  std::printf("Remote GPU count: %d\nDevice 0: %s\n\n", devices, properties.name);

  std::printf("Loading embedded kernel (%zu bytes of %s ISA)\n", sizeof vector_add_co, VECTOR_ADD_TARGET);
  hipModule_t module;
  hipFunction_t vectorAdd;
  CHECK(hipModuleLoadData(&module, vector_add_co));
  CHECK(hipModuleGetFunction(&vectorAdd, module, "vector_add"));
  std::printf("Kernel ready.\n\n");

  int n = 1024;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = float(i), b[i] = float(2 * i);
  const size_t bytes = n * sizeof(float);
  void *deviceA, *deviceB, *deviceC;
  CHECK(hipMalloc(&deviceA, bytes));
  CHECK(hipMalloc(&deviceB, bytes));
  CHECK(hipMalloc(&deviceC, bytes));
  CHECK(hipMemcpy(deviceA, a.data(), bytes, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(deviceB, b.data(), bytes, hipMemcpyHostToDevice));

  const int block = 256, grid = n / block;
  std::printf("vector_add<<<%d, %d>>>(%d elements)...\n", grid, block, n);
  void* arguments[] = {&deviceA, &deviceB, &deviceC, &n};
  CHECK(hipModuleLaunchKernel(vectorAdd, grid, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(hipMemcpy(c.data(), deviceC, bytes, hipMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
  if (wrong == 0)
    std::printf("PASSED: all %d elements correct\n", n);
  else
    std::printf("FAILED: %d of %d elements wrong\n", wrong, n);
  std::printf("  c[0]=%g  c[%d]=%g  c[%d]=%g\n", c[0], n / 2 - 1, c[n / 2 - 1], n - 1, c[n - 1]);

  CHECK(hipFree(deviceA));
  CHECK(hipFree(deviceB));
  CHECK(hipFree(deviceC));
  CHECK(hipModuleUnload(module));
  return wrong != 0;
}
