// Texture and surface objects (runtime/image.h). None can exist, so every handle that is not null is a wrong one.
#include "runtime/api.h"
#include "runtime/image.h"

namespace hipr::api {

namespace {

// Nothing to destroy, or something that cannot be.
hipError_t destroyTexture(hipTextureObject_t texture) {
  Process* p;
  HIPR_TRY(process(p));
  return texture == nullptr ? hipSuccess : noImages();
}

}  // namespace

// The device comes before the arguments here, and after them in the driver's form of the same call.
hipError_t hipCreateTextureObject(hipTextureObject_t*, const hipResourceDesc*, const hipTextureDesc*,
                                  const hipResourceViewDesc*) {
  return noImages();
}
hipError_t hipTexObjectCreate(hipTextureObject_t* pTexObject, const HIP_RESOURCE_DESC* pResDesc,
                              const HIP_TEXTURE_DESC* pTexDesc, const HIP_RESOURCE_VIEW_DESC*) {
  return noImagesAfter({pTexObject, pResDesc, pTexDesc});
}

hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject) {
  return destroyTexture(textureObject);
}
hipError_t hipTexObjectDestroy(hipTextureObject_t texObject) {
  return destroyTexture(texObject);
}

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc* pResDesc, hipTextureObject_t textureObject) {
  return noImagesAfter({pResDesc, textureObject});
}
hipError_t hipGetTextureObjectResourceViewDesc(hipResourceViewDesc* pResViewDesc, hipTextureObject_t textureObject) {
  return noImagesAfter({pResViewDesc, textureObject});
}
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc* pTexDesc, hipTextureObject_t textureObject) {
  return noImagesAfter({pTexDesc, textureObject});
}
hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC* pResDesc, hipTextureObject_t texObject) {
  return noImagesAfter({pResDesc, texObject});
}
hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC* pResViewDesc, hipTextureObject_t texObject) {
  return noImagesAfter({pResViewDesc, texObject});
}
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC* pTexDesc, hipTextureObject_t texObject) {
  return noImagesAfter({pTexDesc, texObject});
}

hipError_t hipGetChannelDesc(hipChannelFormatDesc* desc, hipArray_const_t array) {
  HIPR_TRY(desc == nullptr || array != nullptr ? hipSuccess : hipErrorInvalidHandle);
  return noImagesAfter({desc});
}

// How wide a linear texture could be is a number of the device's properties, images or not.
hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t* max_width, const hipChannelFormatDesc* desc, int device) {
  Process* p;
  Device* d;
  HIPR_TRY(process(p));
  if (max_width == nullptr || desc == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findDevice(*p, device, d));
  const int bytes = (desc->x + desc->y + desc->z + desc->w) / 8;
  if (bytes <= 0) return hipErrorInvalidValue;
  *max_width = static_cast<std::size_t>(d->info->props.maxTexture1DLinear / bytes);
  return hipSuccess;
}

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t*, const hipResourceDesc*) {
  return noImages();
}
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject) {
  Process* p;
  HIPR_TRY(process(p));
  return surfaceObject == nullptr ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace hipr::api
