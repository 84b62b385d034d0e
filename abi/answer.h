// What happens around every exported call: no C++ exception leaves, error codes are ones the caller's version knows,
// and the last-error slots follow the rule of the soname.
#pragma once

#include <type_traits>

#include "abi/not_supported.h"
#include "abi/signature.h"
#include "hip_remote/hip.h"
#include "runtime/call_count.h"
#include "runtime/profiler.h"
#include "runtime/thread_state.h"

namespace hipr::abi {

// For use in a catch block: logs the exception in flight and gives the HIP error for it. Thread cancellation, which
// glibc carries out as an exception, goes on its way.
hipError_t errorOfException(const char* call);

// For a call from inside a host function: logs it, or ends the process, as the rule has it.
hipError_t refusedInHostFunction(const char* call);

// The calls that read the slots or only explain a code leave them alone.
template <auto Exported>
inline constexpr bool kRecordsError = true;
template <>
inline constexpr bool kRecordsError<&::hipGetLastError> = false;
template <>
inline constexpr bool kRecordsError<&::hipPeekAtLastError> = false;
template <>
inline constexpr bool kRecordsError<&::hipExtGetLastError> = false;
template <>
inline constexpr bool kRecordsError<&::hipDrvGetErrorName> = false;
template <>
inline constexpr bool kRecordsError<&::hipDrvGetErrorString> = false;

// HIP 5 and 6 keep the result of the last call, success included. HIP 7 keeps the last failure for hipGetLastError,
// where "not ready" is no failure, and the last result for hipExtGetLastError.
template <int Abi>
inline void recordError(hipError_t error) {
  if constexpr (Abi >= 7) {
    threadState().lastCall = error;
    if (error == hipSuccess || error == hipErrorNotReady) return;
  }
  threadState().sticky = error;
}

// A code that came after the caller's version means nothing to it.
template <int Abi>
constexpr hipError_t knownError(hipError_t error) {
  if constexpr (Abi >= 7) return error;
  switch (error) {
    case hipErrorInvalidChannelDescriptor:
    case hipErrorInvalidTexture:
      return Abi == 6 ? error : hipErrorUnknown;
    case hipErrorInvalidResourceType:
    case hipErrorInvalidResourceConfiguration:
    case hipErrorStreamDetached:
    case hipErrorInvalidClusterSize:  // 1054 used to be hipErrorTbd
      return hipErrorUnknown;
    case hipErrorTbd:
      return static_cast<hipError_t>(1054);
    default:
      return error;
  }
}

template <auto Exported, int Abi, typename Body>
inline auto answer(const char* call, Body body) {
  using Result = typename Signature<decltype(Exported)>::Result;
  countCall();
  const ProfiledCall profiled(call);
  if constexpr (std::is_same_v<Result, hipError_t>) {
    // What only explains a code is harmless anywhere.
    if (kRecordsError<Exported> && threadState().hostFunction != HostFunctionRule::kNone) [[unlikely]]
      return refusedInHostFunction(call);
    hipError_t error;
    try {
      error = body();
    } catch (...) {
      error = errorOfException(call);
    }
    if (error != hipSuccess) [[unlikely]]
      error = knownError<Abi>(error);
    if constexpr (kRecordsError<Exported>) recordError<Abi>(error);
    return error;
  } else {
    try {
      return body();
    } catch (...) {
      errorOfException(call);
      return refusal<Result>();
    }
  }
}

}  // namespace hipr::abi
