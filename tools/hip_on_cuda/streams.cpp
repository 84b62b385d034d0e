// Streams, events, host functions, and counters that a stream writes or waits for.
#include <cstdio>
#include <memory>

#include "tools/hip_on_cuda/driver.h"

using namespace hipr::cuda;

namespace {

struct Callback {
  hipStreamCallback_t function;
  void* data;
};

void runCallback(CUstream stream, CUresult status, void* data) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(data));
  callback->function(reinterpret_cast<hipStream_t>(stream), toHip(status), callback->data);
}

}  // namespace

extern "C" {

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  if (!stream || flags > hipStreamNonBlocking) return hipErrorInvalidValue;
  return call(&Driver::streamCreateWithPriority, reinterpret_cast<CUstream*>(stream), flags, priority);
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}

hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t, const uint32_t*) {
  static const bool said = std::fputs("hip_on_cuda: a stream's CU mask is not applied\n", stderr) >= 0;
  (void)said;
  return hipStreamCreateWithFlags(stream, hipStreamDefault);
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  return call(&Driver::streamDestroy, native(stream));
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  return call(&Driver::streamSynchronize, native(stream));
}

hipError_t hipStreamQuery(hipStream_t stream) {
  return call(&Driver::streamQuery, native(stream));
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int) {
  return call(&Driver::streamWaitEvent, native(stream), native(event), 0u);
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t function, void* data, unsigned int flags) {
  if (!function || flags != 0) return hipErrorInvalidValue;
  auto callback = std::make_unique<Callback>(Callback{function, data});
  void* handed = callback.get();
  const hipError_t error = call(&Driver::streamAddCallback, native(stream), &runCallback, handed, 0u);
  if (error == hipSuccess) callback.release();  // runCallback's now
  return error;
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  return call(&Driver::launchHostFunc, native(stream), function, data);
}

// CUDA takes pinned host memory here as well as the device's. It knows no flags for writing that HIP has, and its
// comparisons have the same numbers, but no mask.
hipError_t hipStreamWriteValue32(hipStream_t stream, void* to, uint32_t value, unsigned int) {
  return call(&Driver::streamWriteValue32, native(stream), address(to), value, 0u);
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* to, uint64_t value, unsigned int) {
  return call(&Driver::streamWriteValue64, native(stream), address(to), value, 0u);
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void* at, uint32_t value, unsigned int compare, uint32_t mask) {
  if (mask != UINT32_MAX) return hipErrorNotSupported;
  return call(&Driver::streamWaitValue32, native(stream), address(at), value, compare);
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void* at, uint64_t value, unsigned int compare, uint64_t mask) {
  if (mask != UINT64_MAX) return hipErrorNotSupported;
  return call(&Driver::streamWaitValue64, native(stream), address(at), value, compare);
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  if (!event) return hipErrorInvalidValue;
  return call(&Driver::eventCreate, reinterpret_cast<CUevent*>(event), flags & kEventFlagMask);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return call(&Driver::eventRecord, native(event), native(stream));
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  return call(&Driver::eventSynchronize, native(event));
}

hipError_t hipEventQuery(hipEvent_t event) {
  return call(&Driver::eventQuery, native(event));
}

hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
  if (!ms) return hipErrorInvalidValue;
  return call(&Driver::eventElapsedTime, ms, native(start), native(stop));
}

hipError_t hipEventDestroy(hipEvent_t event) {
  return call(&Driver::eventDestroy, native(event));
}
}
