// Arrays and mipmaps (runtime/image.h), and copies to and from them. None can exist, so every handle that is not null
// is a wrong one.
#include "runtime/api.h"
#include "runtime/image.h"
#include "runtime/memcpy.h"

namespace hipr::api {

namespace {

// Channels that an array can have: one size for all, none missing in between.
bool sensible(const hipChannelFormatDesc& d) {
  const bool equal = (d.y == 0 || d.y == d.x) && (d.z == 0 || d.z == d.x) && (d.w == 0 || d.w == d.x);
  const bool gapless = (d.y != 0 || (d.z == 0 && d.w == 0)) && (d.z != 0 || d.w == 0);
  const bool three = d.z != 0 && d.w == 0;
  const bool integer = d.f == hipChannelFormatKindSigned || d.f == hipChannelFormatKindUnsigned;
  const bool known = d.x == 16 || d.x == 32 || (d.x == 8 && integer);
  return equal && gapless && !three && known && (integer || d.f == hipChannelFormatKindFloat);
}

bool sensible(hipArray_Format format) {
  switch (format) {
    case HIP_AD_FORMAT_UNSIGNED_INT8:
    case HIP_AD_FORMAT_UNSIGNED_INT16:
    case HIP_AD_FORMAT_UNSIGNED_INT32:
    case HIP_AD_FORMAT_SIGNED_INT8:
    case HIP_AD_FORMAT_SIGNED_INT16:
    case HIP_AD_FORMAT_SIGNED_INT32:
    case HIP_AD_FORMAT_HALF:
    case HIP_AD_FORMAT_FLOAT:
      return true;
  }
  return false;
}

hipError_t noArray(const hipExtent& extent, unsigned flags) {
  constexpr unsigned kKnown = hipArrayLayered | hipArraySurfaceLoadStore | hipArrayTextureGather;
  if ((flags & ~kKnown) != 0) return hipErrorInvalidValue;
  const bool flat = extent.width != 0 && extent.height != 0 && extent.depth == 0;
  if ((flags & hipArrayTextureGather) != 0 && !flat) return hipErrorInvalidValue;
  return noImages();
}

hipError_t noArray(const hipArray_t* array, const hipChannelFormatDesc* desc, const hipExtent& extent, unsigned flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (array == nullptr || desc == nullptr || !sensible(*desc)) return hipErrorInvalidValue;
  return noArray(extent, flags);
}

hipError_t noDriverArray(const hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR& d) {
  if (array == nullptr || (d.NumChannels != 1 && d.NumChannels != 2 && d.NumChannels != 4)) return hipErrorInvalidValue;
  if (!sensible(d.Format)) return hipErrorInvalidValue;
  return noArray({d.Width, d.Height, d.Depth}, d.Flags);
}

hipError_t free(const void* array, hipError_t unknown) {
  Process* p;
  HIPR_TRY(process(p));
  return array == nullptr ? hipErrorInvalidValue : unknown;
}

// What is told about an array.
hipError_t describe(const void* array, const void* description) {
  Process* p;
  HIPR_TRY(process(p));
  return array != nullptr && description == nullptr ? hipErrorInvalidValue : hipErrorInvalidHandle;
}

hipError_t level(const void* out) {
  Process* p;
  HIPR_TRY(process(p));
  return out == nullptr ? hipErrorInvalidValue : hipErrorInvalidHandle;
}

// Copies of two dimensions: first what every such copy checks, then the other side where that comes before the array.
hipError_t copy2D(hipMemcpyKind kind, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (!knownKind(kind)) return hipErrorInvalidMemcpyDirection;
  return findStream(*p, stream, s) == hipSuccess ? hipErrorInvalidHandle : hipErrorInvalidValue;
}
hipError_t copy2DFrom(const void* src, std::size_t pitch, std::size_t width, hipMemcpyKind kind, hipStream_t stream) {
  const hipError_t error = copy2D(kind, stream);
  if (error != hipErrorInvalidHandle) return error;
  if (src == nullptr) return hipErrorInvalidValue;
  return pitch == 0 || pitch < width ? hipErrorInvalidPitchValue : error;
}

// Copies of one dimension call everything an invalid value.
hipError_t copy1D() {
  Process* p;
  HIPR_TRY(process(p));
  return hipErrorInvalidValue;
}

}  // namespace

hipError_t hipMallocArray(hipArray_t* array, const hipChannelFormatDesc* desc, size_t width, size_t height,
                          unsigned int flags) {
  return noArray(array, desc, {width, height, 0}, flags);
}
hipError_t hipMalloc3DArray(hipArray_t* array, const hipChannelFormatDesc* desc, hipExtent extent, unsigned int flags) {
  return noArray(array, desc, extent, flags);
}
hipError_t hipArrayCreate(hipArray_t* pHandle, const HIP_ARRAY_DESCRIPTOR* d) {
  Process* p;
  HIPR_TRY(process(p));
  if (d == nullptr) return hipErrorInvalidValue;
  return noDriverArray(pHandle, {.Width = d->Width,
                                 .Height = d->Height,
                                 .Depth = 0,
                                 .Format = d->Format,
                                 .NumChannels = d->NumChannels,
                                 .Flags = 0});
}
hipError_t hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  Process* p;
  HIPR_TRY(process(p));
  return pAllocateArray == nullptr ? hipErrorInvalidValue : noDriverArray(array, *pAllocateArray);
}

hipError_t hipFreeArray(hipArray_t array) {
  return free(array, hipErrorContextIsDestroyed);
}
hipError_t hipArrayDestroy(hipArray_t array) {
  return free(array, hipErrorContextIsDestroyed);
}
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmappedArray) {
  return free(mipmappedArray, hipErrorInvalidValue);
}
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t hMipmappedArray) {
  return free(hMipmappedArray, hipErrorInvalidValue);
}

hipError_t hipArrayGetInfo(hipChannelFormatDesc* desc, hipExtent* extent, unsigned int* flags, hipArray_t array) {
  Process* p;
  HIPR_TRY(process(p));
  const bool nothing = desc == nullptr && extent == nullptr && flags == nullptr;
  return array != nullptr && nothing ? hipSuccess : hipErrorInvalidHandle;
}
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* pArrayDescriptor, hipArray_t array) {
  return describe(array, pArrayDescriptor);
}
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* pArrayDescriptor, hipArray_t array) {
  return describe(array, pArrayDescriptor);
}

// AMD's runtime has no mipmaps on Linux, whatever the device.
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* mipmappedArray, const hipChannelFormatDesc* desc, hipExtent,
                                   unsigned int, unsigned int) {
  Process* p;
  HIPR_TRY(process(p));
  const bool good = mipmappedArray != nullptr && desc != nullptr && sensible(*desc);
  return good ? hipErrorNotSupported : hipErrorInvalidValue;
}
hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t*, HIP_ARRAY3D_DESCRIPTOR*, unsigned int) {
  Process* p;
  HIPR_TRY(process(p));
  return hipErrorNotSupported;
}
hipError_t hipGetMipmappedArrayLevel(hipArray_t* levelArray, hipMipmappedArray_const_t, unsigned int) {
  return level(levelArray);
}
hipError_t hipMipmappedArrayGetLevel(hipArray_t* pLevelArray, hipMipmappedArray_t, unsigned int) {
  return level(pLevelArray);
}
hipError_t hipMipmappedArrayGetMemoryRequirements(hipArrayMemoryRequirements* memoryRequirements,
                                                  hipMipmappedArray_t mipmap, hipDevice_t) {
  return noImagesAfter({memoryRequirements, mipmap});
}

hipError_t hipMemcpy2DToArray(hipArray_t, size_t, size_t, const void* src, size_t spitch, size_t width, size_t,
                              hipMemcpyKind kind) {
  return copy2DFrom(src, spitch, width, kind, nullptr);
}
hipError_t hipMemcpy2DToArrayAsync(hipArray_t, size_t, size_t, const void* src, size_t spitch, size_t width, size_t,
                                   hipMemcpyKind kind, hipStream_t stream) {
  return copy2DFrom(src, spitch, width, kind, stream);
}
hipError_t hipMemcpy2DFromArray(void*, size_t, hipArray_const_t, size_t, size_t, size_t, size_t, hipMemcpyKind kind) {
  return copy2D(kind, nullptr);
}
hipError_t hipMemcpy2DFromArrayAsync(void*, size_t, hipArray_const_t, size_t, size_t, size_t, size_t,
                                     hipMemcpyKind kind, hipStream_t stream) {
  return copy2D(kind, stream);
}
hipError_t hipMemcpy2DArrayToArray(hipArray_t, size_t, size_t, hipArray_const_t, size_t, size_t, size_t, size_t,
                                   hipMemcpyKind kind) {
  return copy2D(kind, nullptr);
}

hipError_t hipMemcpyToArray(hipArray_t, size_t, size_t, const void*, size_t, hipMemcpyKind) {
  return copy1D();
}
hipError_t hipMemcpyFromArray(void*, hipArray_const_t, size_t, size_t, size_t, hipMemcpyKind) {
  return copy1D();
}
hipError_t hipMemcpyAtoA(hipArray_t, size_t, hipArray_t, size_t, size_t) {
  return copy1D();
}
hipError_t hipMemcpyAtoD(hipDeviceptr_t, hipArray_t, size_t, size_t) {
  return copy1D();
}
hipError_t hipMemcpyDtoA(hipArray_t, size_t, hipDeviceptr_t, size_t) {
  return copy1D();
}
hipError_t hipMemcpyAtoH(void*, hipArray_t, size_t, size_t) {
  return copy1D();
}
hipError_t hipMemcpyHtoA(hipArray_t, size_t, const void*, size_t) {
  return copy1D();
}
hipError_t hipMemcpyAtoHAsync(void*, hipArray_t, size_t, size_t, hipStream_t) {
  return copy1D();
}
hipError_t hipMemcpyHtoAAsync(hipArray_t, size_t, const void*, size_t, hipStream_t) {
  return copy1D();
}

}  // namespace hipr::api
