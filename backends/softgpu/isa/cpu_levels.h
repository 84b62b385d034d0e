// What a CPU must have for each level that the handlers are compiled for (CMakeLists.txt).
#pragma once

namespace hipr::softgpu {

inline bool cpuHas_base() {
  return true;
}
#ifdef __x86_64__
inline bool cpuHas_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("f16c");
}
inline bool cpuHas_avx512() {
  return cpuHas_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}
#endif

}  // namespace hipr::softgpu
