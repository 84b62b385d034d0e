// Stands in for HIP's own header when a HIP program's kernels are compiled to PTX: HIP's host API, and what kernels
// need of the language. The host code is read in that compilation too, but nothing is made of it.
#pragma once

#include <cstddef>

// HIP's header takes any CUDA compilation for one with NVIDIA's SDK.
#include <hip/hip_common.h>
#undef __HIP_PLATFORM_NVIDIA__
#undef __HIP_PLATFORM_NVCC__
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#include <hip/hip_runtime_api.h>

#undef __global__
#undef __device__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

namespace ptx {
struct Triple {
  unsigned x, y, z;
};
}  // namespace ptx
#define PTX_READ(name) static_cast<unsigned>(__nvvm_read_ptx_sreg_##name())
#define PTX_TRIPLE(name) (ptx::Triple{PTX_READ(name##_x), PTX_READ(name##_y), PTX_READ(name##_z)})
#define threadIdx PTX_TRIPLE(tid)
#define blockIdx PTX_TRIPLE(ctaid)
#define blockDim PTX_TRIPLE(ntid)
#define gridDim PTX_TRIPLE(nctaid)

// What <<<>>> turns into.
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, std::size_t shared = 0, void* stream = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared = 0, void* stream = nullptr);
