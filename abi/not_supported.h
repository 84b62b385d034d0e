// The answer of a call that is not built: it names itself once on stderr and fails in the way its return type allows.
#pragma once

#include <type_traits>

#include "base/log.h"
#include "hip_remote/hip.h"

namespace hipr::abi {

template <typename Result>
Result refusal() {
  if constexpr (std::is_same_v<Result, hipError_t>)
    return hipErrorNotSupported;
  else if constexpr (std::is_same_v<Result, hiprtcResult>)
    return HIPRTC_ERROR_INTERNAL_ERROR;
  else if constexpr (std::is_same_v<Result, const char*>)
    return "not supported";
  else
    return Result();
}

template <typename Result>
Result notSupported(LogOnce& once, const char* call) {
  once.error("%s is not supported yet", call);
  return refusal<Result>();
}

}  // namespace hipr::abi
