// Memory and semaphores of other APIs, and OpenGL: what a GPU server without a display answers. Nothing of them can be
// imported, here or through a worker (a file descriptor does not travel), so every handle that is not null is wrong.
#include "base/log.h"
#include "runtime/api.h"
#include "runtime/stream.h"

namespace hipr::api {

namespace {

hipError_t opened() {
  Process* p;
  return process(p);
}

// Invalid for whatever reason: a null pointer, or a handle of nothing.
hipError_t invalid() {
  HIPR_TRY(opened());
  return hipErrorInvalidValue;
}

// Without a semaphore there is nothing to signal or to wait for.
hipError_t useSemaphores(const hipExternalSemaphore_t* semaphores, const void* parameters, unsigned count,
                         hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (semaphores == nullptr || parameters == nullptr || count != 0) return hipErrorInvalidValue;
  return findStream(*p, stream, s) == hipSuccess ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace

hipError_t hipImportExternalMemory(hipExternalMemory_t* extMem_out, const hipExternalMemoryHandleDesc* d) {
  HIPR_TRY(opened());
  constexpr unsigned kDedicated = 1;
  if (extMem_out == nullptr || d == nullptr || (d->flags & ~kDedicated) != 0 || d->size == 0)
    return hipErrorInvalidValue;
  if (d->type < hipExternalMemoryHandleTypeOpaqueFd || d->type > hipExternalMemoryHandleTypeD3D11ResourceKmt)
    return hipErrorInvalidValue;
  static LogOnce once;
  once.error("hipImportExternalMemory: memory of another API cannot be reached from a worker or from softgpu");
  return hipErrorOutOfMemory;  // what AMD's runtime calls an import that fails
}
hipError_t hipExternalMemoryGetMappedBuffer(void**, hipExternalMemory_t, const hipExternalMemoryBufferDesc*) {
  return invalid();
}
hipError_t hipExternalMemoryGetMappedMipmappedArray(hipMipmappedArray_t*, hipExternalMemory_t,
                                                    const hipExternalMemoryMipmappedArrayDesc*) {
  return invalid();
}
hipError_t hipDestroyExternalMemory(hipExternalMemory_t) {
  return invalid();
}

// AMD's runtime has no external semaphores on Linux.
hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t* extSem_out, const hipExternalSemaphoreHandleDesc* d) {
  HIPR_TRY(opened());
  if (extSem_out == nullptr || d == nullptr) return hipErrorInvalidValue;
  if (d->type < hipExternalSemaphoreHandleTypeOpaqueFd || d->type > hipExternalSemaphoreHandleTypeD3D12Fence)
    return hipErrorInvalidValue;
  return d->handle.fd == 0 ? hipErrorInvalidValue : hipErrorNotSupported;
}
hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t* extSemArray,
                                            const hipExternalSemaphoreSignalParams* paramsArray,
                                            unsigned int numExtSems, hipStream_t stream) {
  return useSemaphores(extSemArray, paramsArray, numExtSems, stream);
}
hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t* extSemArray,
                                          const hipExternalSemaphoreWaitParams* paramsArray, unsigned int numExtSems,
                                          hipStream_t stream) {
  return useSemaphores(extSemArray, paramsArray, numExtSems, stream);
}
hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t) {
  return invalid();
}

// No OpenGL context is current, and none could be of a GPU in another machine.
hipError_t hipGLGetDevices(unsigned int* pHipDeviceCount, int* pHipDevices, unsigned int hipDeviceCount,
                           hipGLDeviceList deviceList) {
  HIPR_TRY(opened());
  if (deviceList == hipGLDeviceListNextFrame) return hipErrorNotSupported;
  if (pHipDeviceCount == nullptr || pHipDevices == nullptr || hipDeviceCount == 0) return hipErrorInvalidValue;
  *pHipDeviceCount = 0;
  return deviceList == hipGLDeviceListAll || deviceList == hipGLDeviceListCurrentFrame ? hipErrorNoDevice
                                                                                       : hipErrorInvalidValue;
}
hipError_t hipGraphicsGLRegisterBuffer(hipGraphicsResource**, GLuint, unsigned int) {
  return invalid();
}
hipError_t hipGraphicsGLRegisterImage(hipGraphicsResource**, GLuint, GLenum, unsigned int) {
  return invalid();
}
hipError_t hipGraphicsMapResources(int, hipGraphicsResource_t*, hipStream_t) {
  HIPR_TRY(opened());
  return hipErrorUnknown;
}
hipError_t hipGraphicsResourceGetMappedPointer(void**, size_t*, hipGraphicsResource_t) {
  HIPR_TRY(opened());
  return hipErrorUnknown;
}
hipError_t hipGraphicsSubResourceGetMappedArray(hipArray_t*, hipGraphicsResource_t, unsigned int, unsigned int) {
  return invalid();
}
// The one call that looks at its stream first, and waits for it.
hipError_t hipGraphicsUnmapResources(int count, hipGraphicsResource_t* resources, hipStream_t stream) {
  HIPR_TRY(api::hipStreamSynchronize(stream));
  if ((count == 0) != (resources == nullptr)) return hipErrorUnknown;
  return count == 0 ? hipSuccess : hipErrorInvalidHandle;
}
hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t) {
  return invalid();
}

}  // namespace hipr::api
