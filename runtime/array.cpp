// Arrays and mipmaps (runtime/image.h): making, describing and ending them. array_copy.cpp copies from and to them.
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/image.h"

namespace hipr::api {

namespace {

// Of one, two or three dimensions, or several of one or two; 0 where there is no such dimension.
bool possible(const hipDeviceProp_tR0600& limits, const HIP_ARRAY3D_DESCRIPTOR& d) {
  const auto within = [](std::size_t size, int most) { return size <= static_cast<std::size_t>(std::max(most, 0)); };
  if (d.Width == 0 || (d.Height == 0 && d.Depth != 0 && (d.Flags & hipArrayLayered) == 0)) return false;
  if ((d.Flags & hipArrayLayered) != 0) {
    const int* const most = limits.maxTexture2DLayered;
    const int layers = most[2] > 0 ? most[2] : limits.maxTexture3D[2];  // properties of HIP 5 do not say
    return d.Depth != 0 && within(d.Depth, layers) && within(d.Width, limits.maxTexture2D[0]) &&
           within(d.Height, limits.maxTexture2D[1]);
  }
  if (d.Depth != 0)
    return within(d.Width, limits.maxTexture3D[0]) && within(d.Height, limits.maxTexture3D[1]) &&
           within(d.Depth, limits.maxTexture3D[2]);
  if (d.Height != 0) return within(d.Width, limits.maxTexture2D[0]) && within(d.Height, limits.maxTexture2D[1]);
  return within(d.Width, limits.maxTexture1D);
}

hipError_t make(hipArray_t* out, const HIP_ARRAY3D_DESCRIPTOR& d) {
  constexpr unsigned kKnown = hipArrayLayered | hipArraySurfaceLoadStore | hipArrayTextureGather;
  if ((d.Flags & ~kKnown) != 0) return hipErrorInvalidValue;
  const bool flat = d.Width != 0 && d.Height != 0 && d.Depth == 0;
  if ((d.Flags & hipArrayTextureGather) != 0 && !flat) return hipErrorInvalidValue;
  Process* p;
  Device* device;
  HIPR_TRY(withImages(p, device));
  if (!possible(device->info->props, d)) return hipErrorInvalidValue;
  Core* core;
  HIPR_TRY(device->reach(core));
  Array* const array = p->arrays.create();
  if (array == nullptr) return hipErrorOutOfMemory;
  const Texel texel{d.Format, d.NumChannels};
  array->head = {.data = array,  // programs only ask whether it is null
                 .desc = channelsOf(texel),
                 .width = static_cast<unsigned>(d.Width),
                 .height = static_cast<unsigned>(d.Height),
                 .depth = static_cast<unsigned>(d.Depth),
                 .format = d.Format,
                 .channels = d.NumChannels,
                 .flags = d.Flags};
  array->id = p->newId();
  array->owner = device;
  array->device = device->index;
  array->texelBytes = bytesOf(texel);
  if (const hipError_t error = core->create(*array); error != hipSuccess) {
    if (p->arrays.take(array) != nullptr) p->arrays.recycle(array);
    return error;
  }
  *out = reinterpret_cast<hipArray_t>(array);
  return hipSuccess;
}

hipError_t make(hipArray_t* out, const hipChannelFormatDesc* desc, const hipExtent& extent, unsigned flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (out == nullptr || desc == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(p->captures.allocationAllowed());
  Texel texel;
  if (!texelOf(*desc, texel)) return hipErrorInvalidValue;
  return make(out, {.Width = extent.width,
                    .Height = extent.height,
                    .Depth = extent.depth,
                    .Format = texel.format,
                    .NumChannels = texel.channels,
                    .Flags = flags});
}

hipError_t makeDriver(hipArray_t* out, const HIP_ARRAY3D_DESCRIPTOR& d) {
  Process* p;
  HIPR_TRY(process(p));
  HIPR_TRY(p->captures.allocationAllowed());
  if (out == nullptr || (d.NumChannels != 1 && d.NumChannels != 2 && d.NumChannels != 4) || channelBytes(d.Format) == 0)
    return hipErrorInvalidValue;
  return make(out, d);
}

hipError_t end(hipArray_t handle) {
  Process* p;
  HIPR_TRY(process(p));
  HIPR_TRY(p->captures.allocationAllowed());
  if (handle == nullptr) return hipErrorInvalidValue;
  Array* const array = p->arrays.take(handle);
  if (array == nullptr) return hipErrorContextIsDestroyed;
  Device& device = *array->owner;
  if (Core * core; device.reach(core) == hipSuccess) core->fence(device.index);
  const hipError_t error = device.evenLost().destroy(*array);
  p->arrays.recycle(array);
  return error != hipSuccess ? error : asyncError(device);
}

hipError_t endMipmap() {
  Process* p;
  HIPR_TRY(process(p));
  return hipErrorInvalidValue;  // null, or one that cannot be
}

// What is told about an array.
hipError_t describe(const void* handle, const void* description, Array*& out) {
  Process* p;
  HIPR_TRY(process(p));
  HIPR_TRY(p->captures.allocationAllowed());
  out = findArray(*p, handle);
  if (handle != nullptr && description == nullptr) return hipErrorInvalidValue;
  return out != nullptr ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t level(const void* out) {
  Process* p;
  HIPR_TRY(process(p));
  return out == nullptr ? hipErrorInvalidValue : hipErrorInvalidHandle;
}

}  // namespace

hipError_t hipMallocArray(hipArray_t* array, const hipChannelFormatDesc* desc, size_t width, size_t height,
                          unsigned int flags) {
  return make(array, desc, {width, height, 0}, flags);
}
hipError_t hipMalloc3DArray(hipArray_t* array, const hipChannelFormatDesc* desc, hipExtent extent, unsigned int flags) {
  return make(array, desc, extent, flags);
}
hipError_t hipArrayCreate(hipArray_t* pHandle, const HIP_ARRAY_DESCRIPTOR* d) {
  Process* p;
  HIPR_TRY(process(p));
  if (d == nullptr) return hipErrorInvalidValue;
  return makeDriver(pHandle, {.Width = d->Width,
                              .Height = d->Height,
                              .Depth = 0,
                              .Format = d->Format,
                              .NumChannels = d->NumChannels,
                              .Flags = hipArrayDefault});
}
hipError_t hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  Process* p;
  HIPR_TRY(process(p));
  return pAllocateArray == nullptr ? hipErrorInvalidValue : makeDriver(array, *pAllocateArray);
}

hipError_t hipFreeArray(hipArray_t array) {
  return end(array);
}
hipError_t hipArrayDestroy(hipArray_t array) {
  return end(array);
}
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t) {
  return endMipmap();
}
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t) {
  return endMipmap();
}

hipError_t hipArrayGetInfo(hipChannelFormatDesc* desc, hipExtent* extent, unsigned int* flags, hipArray_t array) {
  Array* a;
  const bool nothing = desc == nullptr && extent == nullptr && flags == nullptr;
  const hipError_t error = describe(array, &desc, a);
  if (error != hipSuccess) return nothing && array != nullptr && error == hipErrorInvalidHandle ? hipSuccess : error;
  if (desc != nullptr) *desc = a->head.desc;
  if (extent != nullptr) *extent = {a->head.width, a->head.height, a->head.depth};
  if (flags != nullptr) *flags = a->head.flags;
  return hipSuccess;
}
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* pArrayDescriptor, hipArray_t array) {
  Array* a;
  HIPR_TRY(describe(array, pArrayDescriptor, a));
  *pArrayDescriptor = {
      .Width = a->head.width, .Height = a->head.height, .Format = a->head.format, .NumChannels = a->head.channels};
  return hipSuccess;
}
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* pArrayDescriptor, hipArray_t array) {
  Array* a;
  HIPR_TRY(describe(array, pArrayDescriptor, a));
  *pArrayDescriptor = {.Width = a->head.width,
                       .Height = a->head.height,
                       .Depth = a->head.depth,
                       .Format = a->head.format,
                       .NumChannels = a->head.channels,
                       .Flags = a->head.flags};
  return hipSuccess;
}
hipError_t hipGetChannelDesc(hipChannelFormatDesc* desc, hipArray_const_t array) {
  HIPR_TRY(desc == nullptr || array != nullptr ? hipSuccess : hipErrorInvalidHandle);
  HIPR_TRY(withImagesAfter({desc}));
  const Array* const a = findArray(*openedProcess(), array);
  if (a == nullptr) return hipErrorInvalidHandle;
  *desc = a->head.desc;
  return hipSuccess;
}

// AMD's runtime has no mipmaps on Linux, whatever the device.
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* mipmappedArray, const hipChannelFormatDesc* desc, hipExtent,
                                   unsigned int, unsigned int) {
  Process* p;
  HIPR_TRY(process(p));
  Texel texel;
  const bool good = mipmappedArray != nullptr && desc != nullptr && texelOf(*desc, texel);
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
  HIPR_TRY(withImagesAfter({memoryRequirements, mipmap}));
  return hipErrorNotSupported;
}

}  // namespace hipr::api
