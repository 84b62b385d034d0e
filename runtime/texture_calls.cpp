// The calls about texture and surface objects, in the runtime's and the driver's words, which say the same.
#include <cstring>
#include <type_traits>

#include "runtime/api.h"
#include "runtime/image.h"

namespace hipr::api {

namespace {

hipResourceDesc plain(const HIP_RESOURCE_DESC& d) {
  hipResourceDesc out{};
  out.resType = static_cast<hipResourceType>(d.resType);
  switch (d.resType) {
    case HIP_RESOURCE_TYPE_ARRAY:
      out.res.array.array = d.res.array.hArray;
      break;
    case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      out.res.mipmap.mipmap = d.res.mipmap.hMipmappedArray;
      break;
    case HIP_RESOURCE_TYPE_LINEAR:
      out.res.linear = {d.res.linear.devPtr, channelsOf({d.res.linear.format, d.res.linear.numChannels}),
                        d.res.linear.sizeInBytes};
      break;
    case HIP_RESOURCE_TYPE_PITCH2D:
      out.res.pitch2D = {d.res.pitch2D.devPtr, channelsOf({d.res.pitch2D.format, d.res.pitch2D.numChannels}),
                         d.res.pitch2D.width, d.res.pitch2D.height, d.res.pitch2D.pitchInBytes};
      break;
  }
  return out;
}

HIP_RESOURCE_DESC driver(const hipResourceDesc& d) {
  HIP_RESOURCE_DESC out{};
  out.resType = static_cast<HIPresourcetype>(d.resType);
  Texel texel;
  switch (d.resType) {
    case hipResourceTypeArray:
      out.res.array.hArray = d.res.array.array;
      break;
    case hipResourceTypeMipmappedArray:
      out.res.mipmap.hMipmappedArray = d.res.mipmap.mipmap;
      break;
    case hipResourceTypeLinear:
      texelOf(d.res.linear.desc, texel);
      out.res.linear = {d.res.linear.devPtr, texel.format, texel.channels, d.res.linear.sizeInBytes};
      break;
    case hipResourceTypePitch2D:
      texelOf(d.res.pitch2D.desc, texel);
      out.res.pitch2D = {d.res.pitch2D.devPtr, texel.format,         texel.channels,
                         d.res.pitch2D.width,  d.res.pitch2D.height, d.res.pitch2D.pitchInBytes};
      break;
  }
  return out;
}

// What both have by the same names.
template <class To, class From>
To sameReading(const From& d) {
  To out{};
  for (int i = 0; i < 3; ++i)
    out.addressMode[i] = static_cast<std::remove_reference_t<decltype(out.addressMode[0])>>(d.addressMode[i]);
  out.filterMode = static_cast<decltype(out.filterMode)>(d.filterMode);
  std::memcpy(out.borderColor, d.borderColor, sizeof out.borderColor);
  out.maxAnisotropy = d.maxAnisotropy;
  out.mipmapFilterMode = static_cast<decltype(out.mipmapFilterMode)>(d.mipmapFilterMode);
  out.mipmapLevelBias = d.mipmapLevelBias;
  out.minMipmapLevelClamp = d.minMipmapLevelClamp;
  out.maxMipmapLevelClamp = d.maxMipmapLevelClamp;
  return out;
}

hipTextureDesc plain(const HIP_TEXTURE_DESC& d) {
  auto out = sameReading<hipTextureDesc>(d);
  out.readMode = (d.flags & HIP_TRSF_READ_AS_INTEGER) != 0 ? hipReadModeElementType : hipReadModeNormalizedFloat;
  out.sRGB = (d.flags & HIP_TRSF_SRGB) != 0;
  out.normalizedCoords = (d.flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
  return out;
}

HIP_TEXTURE_DESC driver(const hipTextureDesc& d) {
  auto out = sameReading<HIP_TEXTURE_DESC>(d);
  if (d.readMode == hipReadModeElementType) out.flags |= HIP_TRSF_READ_AS_INTEGER;
  if (d.sRGB == 1) out.flags |= HIP_TRSF_SRGB;
  if (d.normalizedCoords == 1) out.flags |= HIP_TRSF_NORMALIZED_COORDINATES;
  return out;
}

hipResourceViewDesc plain(const HIP_RESOURCE_VIEW_DESC& d) {
  return {static_cast<hipResourceViewFormat>(d.format),
          d.width,
          d.height,
          d.depth,
          d.firstMipmapLevel,
          d.lastMipmapLevel,
          d.firstLayer,
          d.lastLayer};
}

HIP_RESOURCE_VIEW_DESC driver(const hipResourceViewDesc& d) {
  return {static_cast<HIPresourceViewFormat>(d.format),
          d.width,
          d.height,
          d.depth,
          d.firstMipmapLevel,
          d.lastMipmapLevel,
          d.firstLayer,
          d.lastLayer,
          {}};
}

// What an object was made from.
template <class Out, class Read>
hipError_t tell(Out* out, hipTextureObject_t object, Read read) {
  HIPR_TRY(withImagesAfter({out, object}));
  const auto texture = openedProcess()->textures.find(object, false);
  if (texture == nullptr) return hipErrorInvalidValue;
  *out = read(*texture);
  return hipSuccess;
}

hipResourceDesc resourceOf(const Texture& t) {
  return t.resource;
}
hipTextureDesc readingOf(const Texture& t) {
  return t.reading;
}
hipResourceViewDesc viewOf(const Texture& t) {
  return t.view.value_or(hipResourceViewDesc{});
}

}  // namespace

hipError_t hipCreateTextureObject(hipTextureObject_t* pTexObject, const hipResourceDesc* pResDesc,
                                  const hipTextureDesc* pTexDesc, const hipResourceViewDesc* pResViewDesc) {
  return createTexture(pResDesc, pTexDesc, pResViewDesc, pTexObject);
}
// The pointers come before the device here.
hipError_t hipTexObjectCreate(hipTextureObject_t* pTexObject, const HIP_RESOURCE_DESC* pResDesc,
                              const HIP_TEXTURE_DESC* pTexDesc, const HIP_RESOURCE_VIEW_DESC* pResViewDesc) {
  HIPR_TRY(withImagesAfter({pTexObject, pResDesc, pTexDesc}));
  const hipResourceDesc resource = plain(*pResDesc);
  const hipTextureDesc reading = plain(*pTexDesc);
  if (pResViewDesc == nullptr) return createTexture(&resource, &reading, nullptr, pTexObject);
  const hipResourceViewDesc view = plain(*pResViewDesc);
  return createTexture(&resource, &reading, &view, pTexObject);
}

hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject) {
  return destroyTexture(textureObject);
}
hipError_t hipTexObjectDestroy(hipTextureObject_t texObject) {
  return destroyTexture(texObject);
}

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc* pResDesc, hipTextureObject_t textureObject) {
  return tell(pResDesc, textureObject, resourceOf);
}
hipError_t hipGetTextureObjectResourceViewDesc(hipResourceViewDesc* pResViewDesc, hipTextureObject_t textureObject) {
  return tell(pResViewDesc, textureObject, viewOf);
}
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc* pTexDesc, hipTextureObject_t textureObject) {
  return tell(pTexDesc, textureObject, readingOf);
}
hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC* pResDesc, hipTextureObject_t texObject) {
  return tell(pResDesc, texObject, [](const Texture& t) { return driver(t.resource); });
}
hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC* pResViewDesc, hipTextureObject_t texObject) {
  return tell(pResViewDesc, texObject, [](const Texture& t) { return driver(viewOf(t)); });
}
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC* pTexDesc, hipTextureObject_t texObject) {
  return tell(pTexDesc, texObject, [](const Texture& t) { return driver(t.reading); });
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

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t* pSurfObject, const hipResourceDesc* pResDesc) {
  return createSurface(pResDesc, pSurfObject);
}
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject) {
  return destroySurface(surfaceObject);
}

}  // namespace hipr::api
