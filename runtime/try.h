// HIPR_TRY(call): leaves the function with the error of `call` unless it is hipSuccess.
#pragma once

#include "hip_remote/hip.h"

#define HIPR_TRY(...)                                                                            \
  do {                                                                                           \
    if (const ::hipError_t hiprError = (__VA_ARGS__); hiprError != hipSuccess) return hiprError; \
  } while (false)
