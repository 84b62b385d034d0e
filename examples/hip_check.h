// One macro shared by the examples: stop with the call's name and HIP's own words when it fails.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define HIP_CHECK(call)                                                   \
  do {                                                                    \
    const hipError_t error_ = (call);                                     \
    if (error_ != hipSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)
