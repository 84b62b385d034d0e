#include "tools/hip_on_cuda/errors.h"

#include <algorithm>
#include <iterator>

namespace hipr::cuda {
namespace {

struct Row {
  CUresult cuda;
  hipError_t hip;
  const char* name;
};

#define ROW(cuda, hip) {cuda, hip, #hip}
// HIP gave most of its errors CUDA's numbers; those that CUDA alone has become the nearest of HIP's.
constexpr Row kRows[] = {
    ROW(0, hipSuccess),
    ROW(1, hipErrorInvalidValue),
    ROW(2, hipErrorOutOfMemory),
    ROW(3, hipErrorNotInitialized),
    ROW(4, hipErrorDeinitialized),
    ROW(34, hipErrorNoDevice),  // a library for linking only
    ROW(46, hipErrorNoDevice),  // somebody else has the device
    ROW(100, hipErrorNoDevice),
    ROW(101, hipErrorInvalidDevice),
    ROW(200, hipErrorInvalidImage),
    ROW(201, hipErrorInvalidContext),
    ROW(205, hipErrorMapFailed),
    ROW(206, hipErrorUnmapFailed),
    ROW(208, hipErrorAlreadyMapped),
    ROW(209, hipErrorNoBinaryForGpu),
    ROW(211, hipErrorNotMapped),
    ROW(214, hipErrorECCNotCorrectable),
    ROW(215, hipErrorUnsupportedLimit),
    ROW(217, hipErrorPeerAccessUnsupported),
    ROW(218, hipErrorInvalidKernelFile),       // PTX that does not compile
    ROW(221, hipErrorSharedObjectInitFailed),  // no PTX compiler
    ROW(222, hipErrorNoBinaryForGpu),          // PTX newer than the driver
    ROW(300, hipErrorInvalidSource),
    ROW(301, hipErrorFileNotFound),
    ROW(302, hipErrorSharedObjectSymbolNotFound),
    ROW(303, hipErrorSharedObjectInitFailed),
    ROW(304, hipErrorOperatingSystem),
    ROW(400, hipErrorInvalidHandle),
    ROW(401, hipErrorIllegalState),
    ROW(500, hipErrorNotFound),
    ROW(600, hipErrorNotReady),
    ROW(700, hipErrorIllegalAddress),
    ROW(701, hipErrorLaunchOutOfResources),
    ROW(702, hipErrorLaunchTimeOut),
    ROW(704, hipErrorPeerAccessAlreadyEnabled),
    ROW(705, hipErrorPeerAccessNotEnabled),
    ROW(708, hipErrorSetOnActiveProcess),
    ROW(709, hipErrorContextIsDestroyed),
    ROW(710, hipErrorAssert),
    ROW(712, hipErrorHostMemoryAlreadyRegistered),
    ROW(713, hipErrorHostMemoryNotRegistered),
    ROW(714, hipErrorLaunchFailure),   // the device's call stack
    ROW(715, hipErrorLaunchFailure),   // an illegal instruction
    ROW(716, hipErrorIllegalAddress),  // misaligned
    ROW(717, hipErrorIllegalAddress),  // of the wrong address space
    ROW(718, hipErrorLaunchFailure),   // a jump to nowhere
    ROW(719, hipErrorLaunchFailure),
    ROW(720, hipErrorCooperativeLaunchTooLarge),
    ROW(801, hipErrorNotSupported),
    ROW(803, hipErrorInsufficientDriver),
    ROW(900, hipErrorStreamCaptureUnsupported),
    ROW(901, hipErrorStreamCaptureInvalidated),
    ROW(906, hipErrorStreamCaptureImplicit),
    ROW(999, hipErrorUnknown),
};
#undef ROW

}  // namespace

hipError_t toHip(CUresult result) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.cuda == result; });
  return row == std::end(kRows) ? hipErrorUnknown : row->hip;
}

const char* errorName(hipError_t error) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.hip == error; });
  return row == std::end(kRows) ? "hipErrorUnknown" : row->name;
}

}  // namespace hipr::cuda

extern "C" {

const char* hipGetErrorName(hipError_t error) {
  return hipr::cuda::errorName(error);
}

const char* hipGetErrorString(hipError_t error) {
  return hipr::cuda::errorName(error);
}
}
