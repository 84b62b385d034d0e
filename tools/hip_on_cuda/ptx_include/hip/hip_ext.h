// See hip_runtime.h here.
#pragma once

#include <hip/hip_runtime.h>

extern "C" hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                         std::size_t shared, hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                                         int flags);
