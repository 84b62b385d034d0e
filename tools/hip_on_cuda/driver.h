// The CUDA driver as a table of functions, and the context of the calling thread. The driver is loaded and started by
// the first call that needs it, and never unloaded.
//
// HIP's current device of a thread is a device's primary context here. Streams, events and modules are CUDA's own
// handles under HIP's names; the null, legacy and per-thread streams have the same values in both.
#pragma once

#include "hip_remote/hip.h"
#include "tools/hip_on_cuda/cuda_types.h"
#include "tools/hip_on_cuda/errors.h"

namespace hipr::cuda {

struct Driver {
#define CUDA_CALL(name, symbol, parameters) CUresult(*name) parameters = nullptr;
#include "tools/hip_on_cuda/cuda_calls.def"
#undef CUDA_CALL
  hipError_t state = hipErrorNotInitialized;  // hipSuccess when it was found and has started
  int devices = 0;
};

const Driver& driver();

// What a call that works on the current device does first. REQUIRES for the other functions of the driver: hipSuccess.
hipError_t enter();

int currentDevice();
hipError_t setCurrentDevice(int device);
hipError_t contextOf(int device, CUcontext& out);
void forgetContexts(int device);  // after a reset: every thread takes the new one at its next call

inline CUdeviceptr address(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}
inline CUstream native(hipStream_t stream) {
  return reinterpret_cast<CUstream>(stream);
}
inline CUevent native(hipEvent_t event) {
  return reinterpret_cast<CUevent>(event);
}

// The usual call: enter, do, translate.
template <class... P, class... A>
hipError_t call(CUresult (*Driver::*function)(P...), A... arguments) {
  if (const hipError_t error = enter(); error != hipSuccess) return error;
  const auto found = driver().*function;
  return found ? toHip(found(arguments...)) : hipErrorNotSupported;
}

}  // namespace hipr::cuda
