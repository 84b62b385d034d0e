// CUDA's results as HIP's errors, in one table, and the names of those errors.
#pragma once

#include "hip_remote/hip.h"
#include "tools/hip_on_cuda/cuda_types.h"

namespace hipr::cuda {

hipError_t toHip(CUresult result);
const char* errorName(hipError_t error);  // "hipErrorUnknown" for a number the table does not have

}  // namespace hipr::cuda
