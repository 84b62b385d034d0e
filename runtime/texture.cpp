// Texture and surface objects (runtime/image.h): what they may show, making and ending them.
#include <cstring>

#include "base/overflow.h"
#include "runtime/image.h"
#include "runtime/memory.h"

namespace hipr {

namespace {

// Memory that the device reaches, all of it in one allocation.
bool reached(const Process& p, const Device& device, const void* address, std::size_t bytes) {
  const auto region = p.allocations.find(address);
  if (!region || (region->allocation.kind == MemoryKind::kDevice && region->allocation.owner != &device)) return false;
  return p.allocations.holds(*region, region->offsetOf(address), bytes);
}

bool aligned(const void* address, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % std::max<std::size_t>(to, 1) == 0;
}

// What no texel of such a format can be read as. Four channels of eight bits, as parts of one, are the only sRGB.
bool readable(const Texel& texel, const hipTextureDesc& reading) {
  const bool bytes = texel.format == HIP_AD_FORMAT_UNSIGNED_INT8;
  return reading.sRGB == 0 || texel.channels != 4 || (bytes && reading.readMode == hipReadModeNormalizedFloat);
}

hipError_t fromArray(const Process& p, Texture& out) {
  out.array = findArray(p, out.resource.res.array.array);
  if (out.array == nullptr || out.array->owner != out.owner) return hipErrorInvalidValue;
  Texel texel{out.array->head.format, out.array->head.channels};
  if (!out.view) return readable(texel, out.reading) ? hipSuccess : hipErrorInvalidValue;
  if (!texelOf(out.view->format, texel) || bytesOf(texel) != out.array->texelBytes) return hipErrorInvalidValue;
  return readable(texel, out.reading) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t fromLine(const Process& p, const Texture& t) {
  const auto& line = t.resource.res.linear;
  Texel texel;
  // Lines are not converted from sRGB.
  if (!texelOf(line.desc, texel) || (t.reading.sRGB != 0 && texel.channels == 4)) return hipErrorInvalidValue;
  if (line.sizeInBytes < bytesOf(texel)) return hipErrorInvalidValue;
  return reached(p, *t.owner, line.devPtr, line.sizeInBytes) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t fromRows(const Process& p, const Texture& t) {
  const auto& rows = t.resource.res.pitch2D;
  Texel texel;
  if (!texelOf(rows.desc, texel) || !readable(texel, t.reading)) return hipErrorInvalidValue;
  std::size_t bytes = 0;
  const std::size_t row = rows.width * bytesOf(texel);
  if (rows.width == 0 || rows.height == 0 || rows.pitchInBytes < row ||
      mulOverflows(rows.pitchInBytes, rows.height - 1, &bytes) || addOverflows(bytes, row, &bytes))
    return hipErrorInvalidValue;
  return reached(p, *t.owner, rows.devPtr, bytes) ? hipSuccess : hipErrorInvalidValue;
}

// What a resource of each type has to be, before it is looked at.
hipError_t checkResource(const Process& p, const Device& device, const hipResourceDesc& r, const hipTextureDesc& t) {
  const hipDeviceProp_tR0600& limits = device.info->props;
  switch (r.resType) {
    case hipResourceTypeArray: {
      const Array* const array = findArray(p, r.res.array.array);
      if (array == nullptr) return hipErrorInvalidValue;
      // AMD's runtime lets gfx90a filter in two dimensions only.
      const bool flat = std::strncmp(limits.gcnArchName, "gfx90a", 6) == 0;
      return flat && array->head.depth > 0 && t.filterMode == hipFilterModeLinear ? hipErrorNotSupported : hipSuccess;
    }
    case hipResourceTypeMipmappedArray:
      return hipErrorNotSupported;
    case hipResourceTypeLinear:
      return r.res.linear.devPtr != nullptr && aligned(r.res.linear.devPtr, limits.textureAlignment)
                 ? hipSuccess
                 : hipErrorInvalidChannelDescriptor;
    case hipResourceTypePitch2D: {
      const auto& rows = r.res.pitch2D;
      const bool good = rows.devPtr != nullptr && aligned(rows.devPtr, limits.textureAlignment) &&
                        rows.width <= static_cast<std::size_t>(limits.maxTexture2D[0]) &&
                        rows.height <= static_cast<std::size_t>(limits.maxTexture2D[1]) &&
                        rows.pitchInBytes % std::max<std::size_t>(limits.texturePitchAlignment, 1) == 0;
      return good ? hipSuccess : hipErrorInvalidValue;
    }
  }
  return hipErrorInvalidValue;
}

hipError_t keep(Process& p, Device& device, std::shared_ptr<Texture> texture, void** out) {
  Core* core;
  HIPR_TRY(device.reach(core));
  texture->id = p.newId();
  HIPR_TRY(core->create(*texture));
  *out = texture->object;
  p.textures.add(std::move(texture));
  return hipSuccess;
}

hipError_t end(Process& p, const void* object, bool surface) {
  const std::shared_ptr<Texture> texture = p.textures.take(object, surface);
  if (texture == nullptr) return hipErrorInvalidValue;
  return texture->owner->evenLost().destroy(*texture);
}

}  // namespace

hipError_t createTexture(const hipResourceDesc* resource, const hipTextureDesc* reading,
                         const hipResourceViewDesc* view, hipTextureObject_t* out) {
  Process* p;
  Device* device;
  HIPR_TRY(withImages(p, device));
  if (out == nullptr || resource == nullptr || reading == nullptr) return hipErrorInvalidChannelDescriptor;
  const bool ofArray = resource->resType == hipResourceTypeArray || resource->resType == hipResourceTypeMipmappedArray;
  if (view != nullptr && !ofArray) return hipErrorUnknown;
  HIPR_TRY(checkResource(*p, *device, *resource, *reading));
  if (reading->maxAnisotropy != 0 || reading->mipmapLevelBias != 0) return hipErrorNotSupported;
  auto texture = std::make_shared<Texture>();
  texture->owner = device;
  texture->device = device->index;
  texture->resource = *resource;
  texture->reading = *reading;
  if (view != nullptr) texture->view = *view;
  if (resource->resType == hipResourceTypeArray) HIPR_TRY(fromArray(*p, *texture));
  if (resource->resType == hipResourceTypeLinear) HIPR_TRY(fromLine(*p, *texture));
  if (resource->resType == hipResourceTypePitch2D) HIPR_TRY(fromRows(*p, *texture));
  return keep(*p, *device, std::move(texture), reinterpret_cast<void**>(out));
}

hipError_t destroyTexture(hipTextureObject_t object) {
  Process* p;
  HIPR_TRY(process(p));
  if (object == nullptr) return hipSuccess;
  HIPR_TRY(withImages());
  return end(*p, object, false);
}

hipError_t createSurface(const hipResourceDesc* resource, hipSurfaceObject_t* out) {
  Process* p;
  Device* device;
  HIPR_TRY(withImages(p, device));
  if (out == nullptr || resource == nullptr || resource->resType != hipResourceTypeArray) return hipErrorInvalidValue;
  Array* const array = findArray(*p, resource->res.array.array);
  if (array == nullptr || array->owner != device) return hipErrorInvalidValue;
  if (array->head.flags != hipArrayDefault && (array->head.flags & hipArraySurfaceLoadStore) == 0)
    return hipErrorInvalidValue;
  HIPR_TRY(p->captures.allocationAllowed());
  auto surface = std::make_shared<Texture>();
  surface->owner = device;
  surface->device = device->index;
  surface->surface = true;
  surface->array = array;
  surface->resource = *resource;
  return keep(*p, *device, std::move(surface), reinterpret_cast<void**>(out));
}

hipError_t destroySurface(hipSurfaceObject_t object) {
  Process* p;
  HIPR_TRY(process(p));
  if (object == nullptr) return hipSuccess;
  HIPR_TRY(p->captures.allocationAllowed());
  return end(*p, object, true);
}

}  // namespace hipr
