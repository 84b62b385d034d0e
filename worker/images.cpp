// Arrays, textures and surfaces. Sizes, boxes and enumerations are checked before the runtime sees them; what it cannot
// do is its own to say.
#include "worker/images.h"

#include <algorithm>
#include <cmath>

#include "worker/give.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr std::uint32_t kArrayFlags =
    hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather;

// 0 when there are no such texels.
std::uint64_t texelBytes(std::uint32_t format, std::uint32_t channels) {
  if (channels != 1 && channels != 2 && channels != 4) return 0;
  switch (format) {
    case HIP_AD_FORMAT_UNSIGNED_INT8:
    case HIP_AD_FORMAT_SIGNED_INT8:
      return channels;
    case HIP_AD_FORMAT_UNSIGNED_INT16:
    case HIP_AD_FORMAT_SIGNED_INT16:
    case HIP_AD_FORMAT_HALF:
      return 2 * channels;
    case HIP_AD_FORMAT_UNSIGNED_INT32:
    case HIP_AD_FORMAT_SIGNED_INT32:
    case HIP_AD_FORMAT_FLOAT:
      return 4 * channels;
    default:
      return 0;
  }
}

// The same of memory that is described by the bits of its channels: equal ones, and then none.
std::uint64_t texelBytes(const wire::TextureSource& source) {
  const std::int32_t bits = source.bits[0];
  const auto channels =
      std::ranges::find_if(source.bits, [&](std::int32_t b) { return b != bits; }) - source.bits.begin();
  const bool sound = (bits == 8 || bits == 16 || bits == 32) && source.kind >= hipChannelFormatKindSigned &&
                     source.kind <= hipChannelFormatKindFloat &&
                     std::all_of(source.bits.begin() + channels, source.bits.end(), [](std::int32_t b) { return !b; });
  return sound ? static_cast<std::uint64_t>(channels * bits / 8) : 0;
}

hipChannelFormatDesc channelsOf(const wire::TextureSource& source) {
  return {source.bits[0], source.bits[1], source.bits[2], source.bits[3],
          static_cast<hipChannelFormatKind>(source.kind)};
}

wire::Shape rowsOf(const wire::ArraySide& side, const wire::ArrayCopy& m) {
  return {side.address, side.pitch, side.slice, m.width, m.height, m.depth};
}

// Distances between rows and between slices, as HIP has them: of slices it counts the rows. REQUIRES: the extent is
// known to be sound
bool express(const wire::ArraySide& side, const wire::ArrayCopy& m, hipPitchedPtr& out) {
  const std::uint64_t pitch = m.height > 1 ? side.pitch : m.depth > 1 ? side.slice : m.width;
  const std::uint64_t rows = m.depth > 1 ? side.slice / pitch : m.height;
  out = {at(side.address), pitch, m.width, rows};
  return m.depth == 1 || pitch * rows == side.slice;
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

// Neither keeps the other: whoever dropped the last share would have to free the array.
bool same(const std::weak_ptr<Array>& one, const std::shared_ptr<Array>& other) {
  return other && !one.owner_before(other) && !other.owner_before(one);
}

}  // namespace

Array::Array(const Backend& runtime, DeviceMemory& books, const wire::ArrayCreate& as, std::uint64_t texelBytes)
    : backend(runtime),
      memory(books),
      device(as.device),
      shape{as.width, as.height, as.depth, static_cast<hipArray_Format>(as.format), as.channels, as.flags},
      texel(texelBytes),
      rows(std::max<std::uint64_t>(as.height, 1)),
      slices(std::max<std::uint64_t>(as.depth, 1)),
      cost(wire::costOfArray(as.width * rows * slices * texel)) {}

hipError_t Array::make() {
  backend.use(device);
  const hipError_t error = backend.hip.hipArray3DCreate(&native, &shape);
  if (error != hipSuccess) native = nullptr;
  if (native) memory.charge(device, cost);
  return error == hipSuccess && !native ? hipErrorUnknown : error;
}

Array::~Array() {
  if (!native) return;
  backend.use(device);
  backend.hip.hipArrayDestroy(native);
  memory.refund(device, cost);
}

bool Array::holds(const wire::ArraySide& box, const wire::ArrayCopy& m) const {
  const auto inside = [](std::uint64_t begin, std::uint64_t size, std::uint64_t all) {
    return size && begin <= all && size <= all - begin;
  };
  return box.x % texel == 0 && m.width % texel == 0 && inside(box.x, m.width, shape.Width * texel) &&
         inside(box.y, m.height, rows) && inside(box.z, m.depth, slices);
}

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

Session::Answer Session::onArrayCreate(const wire::ArrayCreate& m) {
  if (!hasDevice(m.device)) return std::nullopt;
  const std::uint64_t texel = texelBytes(m.format, m.channels);
  // Within the limit the product of all of them is a number.
  if (!texel || !m.width || std::max({m.width, m.height, m.depth}) > wire::kMostTexels || m.flags & ~kArrayFlags)
    return hipErrorInvalidValue;
  auto array = std::make_shared<Array>(backend_, memory_, m, texel);
  array->share = meter_.take(Quota::kImages);
  if (!arrays_.add(m.array, array)) {
    refuse("array " + std::to_string(m.array) + " cannot be made");
    return std::nullopt;
  }
  hipError_t error = array->share && obtainCredit(m.device, array->cost) ? array->make() : hipErrorOutOfMemory;
  if (error != hipSuccess) arrays_.take(m.array);
  return error;
}

hipError_t Session::onArrayDestroy(const wire::ArrayDestroy& m) {
  std::shared_ptr<Array> array = arrays_.take(m.array);
  if (!array) {
    refuse("array " + std::to_string(m.array) + " does not exist");
    return hipErrorInvalidHandle;
  }
  ++departures_;
  dropLater(std::move(array));
  return hipSuccess;
}

void Session::dropLater(std::shared_ptr<void> image) {
  order_.afterEverything([image = std::move(image)]() mutable { image.reset(); });
}

void Session::dropImages(int device) {
  ++departures_;
  const auto ofDevice = [device](const auto& image) { return image.device == device; };
  for (auto& texture : textures_.takeIf(ofDevice)) dropLater(std::move(texture));
  for (auto& array : arrays_.takeIf(ofDevice)) dropLater(std::move(array));
}

// Fills in the rest of it. False after refuse().
bool Session::resolve(ArrayWork& work) {
  const wire::ArrayCopy& m = work.message;
  hipMemcpy3DParms& p = work.params;
  if (!m.to.array && !m.from.array) refuse("a copy between arrays without an array");
  const auto side = [&](const wire::ArraySide& of, std::weak_ptr<Array>& kept, hipArray_t& native, hipPos& position,
                        hipPitchedPtr& rows) -> std::uint64_t {  // bytes of a texel
    if (!of.array) {
      if (extentOf(rowsOf(of, m)) == 0 || !express(of, m, rows)) work.broken = hipErrorInvalidValue;
      return 0;
    }
    const std::shared_ptr<Array>& array = arrays_.find(of.array);
    if (!array) refuse("array " + std::to_string(of.array) + " does not exist");
    if (!array || !array->holds(of, m)) {
      refuse("a copy of what array " + std::to_string(of.array) + " does not have");
      return 0;
    }
    kept = array;
    native = array->native;
    position = {of.x / array->texel, of.y, of.z};
    return array->texel;
  };
  const std::uint64_t to = side(m.to, work.to, p.dstArray, p.dstPos, p.dstPtr);
  const std::uint64_t from = side(m.from, work.from, p.srcArray, p.srcPos, p.srcPtr);
  if (!refusal_.empty()) return false;
  if (to && from && to != from) work.broken = hipErrorInvalidValue;
  p.extent = {m.width / std::max(to, from), m.height, m.depth};
  p.kind = hipMemcpyDeviceToDevice;
  return true;
}

bool Session::namedExists(const ArrayWork& work) {
  const auto exists = [&](const wire::ArraySide& side, const std::weak_ptr<Array>& array) {
    DeviceMemory::Span span;
    return side.array ? same(array, arrays_.find(side.array))
                      : locate(side.address, extentOf(rowsOf(side, work.message)), span);
  };
  return exists(work.message.to, work.to) && exists(work.message.from, work.from);
}

void Session::onArrayCopy(const wire::ArrayCopy& m) {
  const StreamPtr s = stream(m.stream);
  ArrayWork work{.message = m};
  if (!s || !resolve(work)) return;
  hipError_t error = work.broken;
  if (error == hipSuccess && !namedExists(work)) error = hipErrorInvalidDevicePointer;
  // Arrays that the client gives up meanwhile stay until this is done, too.
  submit<wire::Opcode::kArrayCopy>(s, m, error,
                                   [this, params = work.params](const StreamPtr& on, const wire::ArrayCopy&) {
                                     return backend_.hip.hipMemcpy3DAsync(&params, on->native);
                                   });
  if (!m.to.array) noteHostWrite(*s, m.to.address);
}

hipError_t Session::describeSource(const wire::TextureCreate& m, Texture& texture, hipResourceDesc& out) {
  const wire::TextureSource& source = m.source;
  out.resType = static_cast<hipResourceType>(source.type);
  if (source.type == hipResourceTypeArray) {
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
    out.res.linear = {at(source.address), channelsOf(source), source.bytes};
    return locate(source.address, source.bytes, span) ? hipSuccess : hipErrorInvalidDevicePointer;
  }
  const wire::Shape rows{source.address, source.pitch, 0, source.width * texel, source.height, 1};
  if (source.type != hipResourceTypePitch2D || std::max(source.width, source.height) > wire::kMostTexels ||
      source.pitch < rows.width || extentOf(rows) == 0)
    return hipErrorInvalidValue;
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
