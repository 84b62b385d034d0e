// A HIP runtime as tests and benchmarks use it: any libamdhip64 by path, with two small kernels loaded on device 0.
#pragma once

#include <string>

#include "worker/hip_table.h"

namespace hipr::testing {

struct Hip {
  worker::HipTable api;
  hipModule_t module = nullptr;
  hipFunction_t empty = nullptr;  // empty(int)
  hipFunction_t work = nullptr;   // work(float* out, int rounds): out[i] for each of 64 * groups work-items
  hipStream_t stream = nullptr;

  Status load(const std::string& library);
  void launch(hipFunction_t kernel, unsigned groups, unsigned block, void** arguments) const;
  void check(hipError_t error, const char* what) const;  // ends the program on failure
};
#define HIPR_CHECK(hip, call) (hip).check((hip).api.call, #call)

const void* kernelImage();  // the code object of the two kernels
std::size_t kernelImageSize();
float workResult(int item, int rounds);  // what `work` computes for one work-item

// Libraries of this build, found from the running executable.
std::string remoteLibrary(int abi = 7);
std::string softgpuLibrary(int abi = 7);

}  // namespace hipr::testing
