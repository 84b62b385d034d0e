// Error names and texts, and the calls that read the thread's error slots. All of it works without a device.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/thread_state.h"

namespace hipr::api {

namespace {

struct ErrorText {
  hipError_t error;
  const char* name;
  const char* text;
};

constexpr const char *kUnknownName = "hipErrorUnknown", *kUnknownText = "unknown error";

#define ERROR(name, text) {name, #name, text}
// Ascending by number. Programs compare these texts, so they are HIP's published ones.
constexpr ErrorText kErrors[] = {
    ERROR(hipSuccess, "no error"),
    ERROR(hipErrorInvalidValue, "invalid argument"),
    ERROR(hipErrorOutOfMemory, "out of memory"),
    ERROR(hipErrorNotInitialized, "initialization error"),
    ERROR(hipErrorDeinitialized, "driver shutting down"),
    ERROR(hipErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    ERROR(hipErrorProfilerNotInitialized, "profiler is not initialized"),
    ERROR(hipErrorProfilerAlreadyStarted, "profiler already started"),
    ERROR(hipErrorProfilerAlreadyStopped, "profiler already stopped"),
    ERROR(hipErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR(hipErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR(hipErrorInvalidSymbol, "invalid device symbol"),
    ERROR(hipErrorInvalidDevicePointer, "invalid device pointer"),
    ERROR(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    ERROR(hipErrorMissingConfiguration, "__global__ function call is not configured"),
    ERROR(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    ERROR(hipErrorInvalidDeviceFunction, "invalid device function"),
    ERROR(hipErrorNoDevice, "no ROCm-capable device is detected"),
    ERROR(hipErrorInvalidDevice, "invalid device ordinal"),
    ERROR(hipErrorInvalidImage, "device kernel image is invalid"),
    ERROR(hipErrorInvalidContext, "invalid device context"),
    ERROR(hipErrorContextAlreadyCurrent, "context is already current context"),
    ERROR(hipErrorMapFailed, "mapping of buffer object failed"),
    ERROR(hipErrorUnmapFailed, "unmapping of buffer object failed"),
    ERROR(hipErrorArrayIsMapped, "array is mapped"),
    ERROR(hipErrorAlreadyMapped, "resource already mapped"),
    ERROR(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    ERROR(hipErrorAlreadyAcquired, "resource already acquired"),
    ERROR(hipErrorNotMapped, "resource not mapped"),
    ERROR(hipErrorNotMappedAsArray, "resource not mapped as array"),
    ERROR(hipErrorNotMappedAsPointer, "resource not mapped as pointer"),
    ERROR(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"),
    ERROR(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    ERROR(hipErrorContextAlreadyInUse, "exclusive-thread device already in use by a different thread"),
    ERROR(hipErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ERROR(hipErrorInvalidKernelFile, "invalid kernel file"),
    ERROR(hipErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    ERROR(hipErrorInvalidSource, "device kernel image is invalid"),
    ERROR(hipErrorFileNotFound, "file not found"),
    ERROR(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    ERROR(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    ERROR(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    ERROR(hipErrorInvalidHandle, "invalid resource handle"),
    ERROR(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    ERROR(hipErrorNotFound, "named symbol not found"),
    ERROR(hipErrorNotReady, "device not ready"),
    ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    ERROR(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    ERROR(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR(hipErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    ERROR(hipErrorContextIsDestroyed, "context is destroyed"),
    ERROR(hipErrorAssert, "device-side assert triggered"),
    ERROR(hipErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    ERROR(hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    ERROR(hipErrorLaunchFailure, "unspecified launch failure"),
    ERROR(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ERROR(hipErrorNotSupported, "operation not supported"),
    ERROR(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR(hipErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ERROR(hipErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    ERROR(hipErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ERROR(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ERROR(hipErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ERROR(hipErrorStreamCaptureImplicit,
          "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR(hipErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    ERROR(hipErrorStreamCaptureWrongThread, "attempt to terminate a thread-local capture sequence from another thread"),
    ERROR(hipErrorGraphExecUpdateFailure,
          "the graph update was not performed because it included changes which violated constraints specific to "
          "instantiated graph update"),
    ERROR(hipErrorInvalidChannelDescriptor, "invalid resource description of texture passed to the api"),
    ERROR(hipErrorInvalidTexture, "invalid texture object passed to the api"),
    ERROR(hipErrorInvalidResourceType, "invalid resource type"),
    ERROR(hipErrorInvalidResourceConfiguration, "invalid resource configuration"),
    ERROR(hipErrorStreamDetached, "stream is detached"),
    ERROR(hipErrorUnknown, kUnknownText),
    ERROR(hipErrorRuntimeMemory, "runtime memory call returned error"),
    ERROR(hipErrorRuntimeOther, "runtime call other than memory returned error"),
    ERROR(hipErrorInvalidClusterSize, "a kernel launch error has occurred due to cluster misconfiguration"),
    ERROR(hipErrorTbd, kUnknownText),
};
#undef ERROR

const ErrorText* find(hipError_t error) {
  const auto it = std::lower_bound(std::begin(kErrors), std::end(kErrors), error,
                                   [](const ErrorText& e, hipError_t wanted) { return e.error < wanted; });
  return it != std::end(kErrors) && it->error == error ? it : nullptr;
}

// What is called unknown without being hipErrorUnknown is an error as well.
hipError_t tell(hipError_t error, const char* said, std::string_view unknown, const char** out) {
  if (out == nullptr) return hipErrorInvalidValue;
  *out = said;
  return error == hipErrorUnknown || said != unknown ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace

const char* hipGetErrorName(hipError_t hip_error) {
  const ErrorText* e = find(hip_error);
  return e != nullptr ? e->name : kUnknownName;
}

const char* hipGetErrorString(hipError_t hipError) {
  const ErrorText* e = find(hipError);
  return e != nullptr ? e->text : kUnknownText;
}

hipError_t hipDrvGetErrorName(hipError_t hipError, const char** errorString) {
  return tell(hipError, api::hipGetErrorName(hipError), kUnknownName, errorString);
}

hipError_t hipDrvGetErrorString(hipError_t hipError, const char** errorString) {
  return tell(hipError, api::hipGetErrorString(hipError), kUnknownText, errorString);
}

namespace {

// A fault of the device outlives both slots.
hipError_t orFault(hipError_t error) {
  const hipError_t fault = asyncError();
  return fault != hipSuccess ? fault : error;
}

}  // namespace

hipError_t hipGetLastError() {
  const hipError_t error = threadState().sticky;
  threadState().sticky = hipSuccess;
  return orFault(error);
}

hipError_t hipPeekAtLastError() {
  return orFault(threadState().sticky);
}

hipError_t hipExtGetLastError() {
  const hipError_t error = threadState().lastCall;
  threadState().lastCall = hipSuccess;
  return orFault(error);
}

}  // namespace hipr::api
