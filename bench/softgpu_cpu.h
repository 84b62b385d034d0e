// What the kernels of softgpu_kernels.cl compute, as plain C++ for this CPU.
#pragma once

#include <cstdint>

namespace hipr::bench {

void saxpyCpu(float* y, const float* x, float a, int n);
void matmulCpu(float* c, const float* a, const float* b, int n);
std::uint32_t reduceCpu(const std::uint32_t* values, int n);
void sortCpu(std::uint32_t* keys, int n);

// C = A * B with OpenBLAS on one thread; false when the library is not installed.
bool matmulBlas(float* c, const float* a, const float* b, int n);

}  // namespace hipr::bench
