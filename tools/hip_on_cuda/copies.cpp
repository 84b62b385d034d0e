// Copies and fills. With one address space for all, CUDA sees from the addresses which way a copy goes.
#include "tools/hip_on_cuda/driver.h"

using namespace hipr::cuda;

namespace {

// Memory that CUDA knows nothing of is the program's own. REQUIRES: enter() succeeded.
CUmemorytype memoryType(const void* pointer) {
  unsigned type = 0;
  CUpointerAttribute which[] = {kPointerMemoryType};
  void* values[] = {&type};
  const CUresult result = driver().pointerGetAttributes(1, which, values, address(pointer));
  return result == kCudaSuccess && type == kMemoryDevice ? kMemoryDevice : kMemoryHost;
}

}  // namespace

extern "C" {

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  if (bytes == 0) return hipSuccess;
  if (const hipError_t error = call(&Driver::memcpyNow, address(to), address(from), bytes); error != hipSuccess) {
    return error;
  }
  // CUDA does not wait for a copy within the device; HIP does.
  if (kind != hipMemcpyDeviceToDevice && kind != hipMemcpyDefault) return hipSuccess;
  return call(&Driver::streamSynchronize, CUstream{nullptr});
}

hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind, hipStream_t stream) {
  if (bytes == 0) return hipSuccess;
  return call(&Driver::memcpyAsync, address(to), address(from), bytes, native(stream));
}

hipError_t hipMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height,
                            hipMemcpyKind, hipStream_t stream) {
  if (width == 0 || height == 0) return hipSuccess;
  if (const hipError_t error = enter(); error != hipSuccess) return error;
  CUmemcpy2D copy{};
  copy.srcMemoryType = memoryType(from);
  copy.srcHost = from;
  copy.srcDevice = address(from);
  copy.srcPitch = fromPitch;
  copy.dstMemoryType = memoryType(to);
  copy.dstHost = to;
  copy.dstDevice = address(to);
  copy.dstPitch = toPitch;
  copy.widthInBytes = width;
  copy.height = height;
  return toHip(driver().memcpy2DAsync(&copy, native(stream)));
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream) {
  return count ? call(&Driver::memsetD8Async, address(to), value, count, native(stream)) : hipSuccess;
}

hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream) {
  return hipMemsetD8Async(to, static_cast<unsigned char>(value), bytes, stream);
}

hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream) {
  return count ? call(&Driver::memsetD16Async, address(to), value, count, native(stream)) : hipSuccess;
}

hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  if (count == 0) return hipSuccess;
  return call(&Driver::memsetD32Async, address(to), static_cast<unsigned>(value), count, native(stream));
}

hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
  if (width == 0 || height == 0) return hipSuccess;
  return call(&Driver::memsetD2D8Async, address(to), pitch, static_cast<unsigned char>(value), width, height,
              native(stream));
}
}
