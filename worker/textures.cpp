// Textures and surfaces: of arrays, and of memory. What they name and every enumeration is checked before the runtime
// sees it.
#include <algorithm>
#include <cmath>

#include "types/texel.h"
#include "worker/give.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

hipChannelFormatDesc channelsOf(const wire::TextureSource& source) {
  return {source.bits[0], source.bits[1], source.bits[2], source.bits[3],
          static_cast<hipChannelFormatKind>(source.kind)};
}

// Of memory. 0 when there are no such texels.
std::uint64_t texelBytes(const wire::TextureSource& source) {
  if (source.kind < hipChannelFormatKindSigned || source.kind > hipChannelFormatKindFloat) return 0;
  Texel texel;
  return texelOf(channelsOf(source), texel) ? bytesOf(texel) : 0;
}

bool between(std::int32_t value, int first, int last) {
  return value >= first && value <= last;
}

bool sound(const wire::TextureReading& r) {
  return std::ranges::all_of(
             r.addressMode,
             [](std::int32_t mode) { return between(mode, hipAddressModeWrap, hipAddressModeBorder); }) &&
         between(r.filterMode, hipFilterModePoint, hipFilterModeLinear) &&
         between(r.mipmapFilterMode, hipFilterModePoint, hipFilterModeLinear) &&
         between(r.readMode, hipReadModeElementType, hipReadModeNormalizedFloat) && std::isfinite(r.mipmapLevelBias) &&
         std::isfinite(r.minMipmapLevelClamp) && std::isfinite(r.maxMipmapLevelClamp);
}

hipTextureDesc descriptionOf(const wire::TextureReading& r) {
  hipTextureDesc d{};
  for (std::size_t i = 0; i < 3; ++i) d.addressMode[i] = static_cast<hipTextureAddressMode>(r.addressMode[i]);
  d.filterMode = static_cast<hipTextureFilterMode>(r.filterMode);
  d.readMode = static_cast<hipTextureReadMode>(r.readMode);
  d.sRGB = r.sRGB;
  std::ranges::copy(r.borderColor, d.borderColor);
  d.normalizedCoords = r.normalizedCoords;
  d.maxAnisotropy = r.maxAnisotropy;
  d.mipmapFilterMode = static_cast<hipTextureFilterMode>(r.mipmapFilterMode);
  d.mipmapLevelBias = r.mipmapLevelBias;
  d.minMipmapLevelClamp = r.minMipmapLevelClamp;
  d.maxMipmapLevelClamp = r.maxMipmapLevelClamp;
  return d;
}

// Of arrays only, and there are no mipmaps.
bool fits(const wire::TextureView& v, const Texture& texture) {
  return texture.array && !texture.surface &&
         between(v.format, hipResViewFormatNone, hipResViewFormatUnsignedBlockCompressed7) &&
         std::max({v.width, v.height, v.depth}) <= wire::kMostTexels && !v.firstLevel && !v.lastLevel &&
         v.firstLayer <= v.lastLayer && v.lastLayer < texture.array->slices;
}

hipResourceViewDesc descriptionOf(const wire::TextureView& v) {
  return {static_cast<hipResourceViewFormat>(v.format),
          v.width,
          v.height,
          v.depth,
          v.firstLevel,
          v.lastLevel,
          v.firstLayer,
          v.lastLayer};
}

}  // namespace

hipError_t Texture::make(const hipResourceDesc& source, const hipTextureDesc& reading,
                         const hipResourceViewDesc* view) {
  backend.use(device);
  hipTextureObject_t texture = nullptr;
  hipSurfaceObject_t written = nullptr;
  const hipError_t error = surface ? backend.hip.hipCreateSurfaceObject(&written, &source)
                                   : backend.hip.hipCreateTextureObject(&texture, &source, &reading, view);
  if (error != hipSuccess) return error;
  native = surface ? static_cast<void*>(written) : static_cast<void*>(texture);
  return native ? hipSuccess : hipErrorUnknown;
}

Texture::~Texture() {
  if (!native) return;
  backend.use(device);
  if (surface) {
    backend.hip.hipDestroySurfaceObject(static_cast<hipSurfaceObject_t>(native));
  } else {
    backend.hip.hipDestroyTextureObject(static_cast<hipTextureObject_t>(native));
  }
}

hipError_t Session::describeSource(const wire::TextureCreate& m, Texture& texture, hipResourceDesc& out) {
  const wire::TextureSource& source = m.source;
  if (source.type == hipResourceTypeArray) {
    out.resType = hipResourceTypeArray;
    texture.array = arrays_.find(source.array);
    if (!texture.array) {
      refuse("array " + std::to_string(source.array) + " does not exist");
      return hipErrorInvalidHandle;
    }
    out.res.array.array = texture.array->native;
    return texture.array->device == m.device ? hipSuccess : hipErrorInvalidValue;
  }
  DeviceMemory::Span span;
  const std::uint64_t texel = texelBytes(source);
  if (m.surface || !texel) return hipErrorInvalidValue;
  if (source.type == hipResourceTypeLinear) {
    out.resType = hipResourceTypeLinear;
    out.res.linear = {at(source.address), channelsOf(source), source.bytes};
    return locate(source.address, source.bytes, span) ? hipSuccess : hipErrorInvalidDevicePointer;
  }
  const wire::Shape rows{source.address, source.pitch, 0, source.width * texel, source.height, 1};
  if (source.type != hipResourceTypePitch2D || std::max(source.width, source.height) > wire::kMostTexels ||
      source.pitch < rows.width || extentOf(rows) == 0)
    return hipErrorInvalidValue;
  out.resType = hipResourceTypePitch2D;
  out.res.pitch2D = {at(source.address), channelsOf(source), source.width, source.height, source.pitch};
  return locate(source.address, extentOf(rows), span) ? hipSuccess : hipErrorInvalidDevicePointer;
}

wire::TextureCreateReply Session::onTextureCreate(const wire::TextureCreate& m) {
  wire::TextureCreateReply reply;
  if (!hasDevice(m.device)) return reply;
  auto texture = std::make_shared<Texture>(backend_, m.device, m.surface);
  hipResourceDesc source{};
  reply.status = describeSource(m, *texture, source);
  if (reply.status == hipSuccess && (!sound(m.reading) || (m.view && !fits(*m.view, *texture))))
    reply.status = hipErrorInvalidValue;
  if (reply.status != hipSuccess) return reply;
  texture->share = meter_.take(Quota::kImages);
  if (!textures_.add(m.texture, texture)) {
    refuse("texture " + std::to_string(m.texture) + " cannot be made");
    return reply;
  }
  const hipResourceViewDesc view = m.view ? descriptionOf(*m.view) : hipResourceViewDesc{};
  reply.status =
      texture->share ? texture->make(source, descriptionOf(m.reading), m.view ? &view : nullptr) : hipErrorOutOfMemory;
  if (reply.status == hipSuccess) {
    reply.object = reinterpret_cast<std::uint64_t>(texture->native);
  } else {
    textures_.take(m.texture);
  }
  return reply;
}

hipError_t Session::onTextureDestroy(const wire::TextureDestroy& m) {
  std::shared_ptr<Texture> texture = textures_.take(m.texture);
  if (!texture) {
    refuse("texture " + std::to_string(m.texture) + " does not exist");
    return hipErrorInvalidHandle;
  }
  dropLater(std::move(texture));
  return hipSuccess;
}

}  // namespace hipr::worker
