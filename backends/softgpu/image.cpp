// Arrays, textures and surfaces. What kernels get for a texture is the address of two descriptors, as the processor
// reads them (isa/image.h): 8 words for the image, or 4 for a line of memory, and after 12 words 4 for the sampler. In
// words 8 to 10 AMD's device libraries look up what a texel is and how wide the image is.
#include "backends/softgpu/image.h"

#include <array>
#include <bit>
#include <cstring>

#include "backends/softgpu/core.h"
#include "backends/softgpu/mapping.h"
#include "types/texel.h"

namespace hipr::softgpu {
namespace {

constexpr std::size_t kPitchAlignment = 256;
constexpr std::size_t kSamplerAt = 12;  // words

struct Descriptors {
  std::array<std::uint32_t, kSamplerAt> image{};
  std::array<std::uint32_t, 4> sampler{};
};

struct TextureObject : CoreObject {
  Allocation memory;
};

enum class Kind : std::uint32_t { k1D = 8, k2D = 9, k3D = 10, k1DArray = 12, k2DArray = 13 };

// The processor's numbers for what a texel is and how it is read.
struct Format {
  Texel texel;
  bool normalized = false, srgb = false;

  std::uint32_t data() const {
    static constexpr std::uint32_t kNumbers[3][3] = {{1, 3, 10}, {2, 5, 12}, {4, 11, 14}};  // by size, by channels
    return kNumbers[std::countr_zero(channelBytes(texel.format))][std::countr_zero(texel.channels)];
  }
  enum Number : std::uint32_t { kUnorm = 0, kSnorm = 1, kUint = 4, kSint = 5, kFloat = 7, kSrgb = 9 };
  Number number() const {
    const hipChannelFormatKind kind = channelsOf(texel).f;
    if (kind == hipChannelFormatKindFloat) return kFloat;
    const bool isSigned = kind == hipChannelFormatKindSigned;
    if (!normalized || channelBytes(texel.format) == 4) return isSigned ? kSint : kUint;
    if (srgb && texel.channels == 4) return kSrgb;
    return isSigned ? kSnorm : kUnorm;
  }
  // HSA's numbers for the same, which the device libraries know.
  std::uint32_t hsaType() const {
    enum { kSnorm8 = 0, kUnorm8 = 2, kSigned8 = 8, kUnsigned8 = 11, kHalf = 14 };  // of 16 and 32 bits behind them
    const auto size = static_cast<std::uint32_t>(std::countr_zero(channelBytes(texel.format)));
    switch (number()) {
      case kUnorm:
      case kSrgb:
        return kUnorm8 + size;
      case kSnorm:
        return kSnorm8 + size;
      case kUint:
        return kUnsigned8 + size;
      case kSint:
        return kSigned8 + size;
      case kFloat:
        return kHalf + size - 1;
    }
    return 0;
  }
  std::uint32_t hsaOrder() const {
    enum { kR = 1, kRg = 3, kRgba = 8, kSrgba = 14 };
    if (texel.channels == 4) return number() == kSrgb ? kSrgba : kRgba;
    return texel.channels == 2 ? kRg : kR;
  }
  // Where each component comes from: a channel, or 0, or for the last one 1.
  std::uint32_t selection() const {
    std::uint32_t out = 0;
    for (std::uint32_t i = 0; i < 4; ++i) out |= (i < texel.channels ? 4 + i : i == 3 ? 1 : 0) << (3 * i);
    return out;
  }
};

struct Shape {
  Kind kind = Kind::k2D;
  std::size_t width = 1, height = 1, depth = 1;  // in texels; depth also counts layers
  std::size_t pitch = 1;                         // in texels
};

void describeForLibraries(std::size_t width, const Format& format, Descriptors& out) {
  out.image[8] = format.hsaType();
  out.image[9] = format.hsaOrder();
  out.image[10] = static_cast<std::uint32_t>(width);
}

void describeImage(std::uint64_t address, const Shape& shape, const Format& format, Descriptors& out) {
  const auto less1 = [](std::size_t n) { return static_cast<std::uint32_t>(n - 1); };
  out.image[0] = static_cast<std::uint32_t>(address >> 8);
  out.image[1] = static_cast<std::uint32_t>(address >> 40) | format.data() << 20 | format.number() << 26;
  out.image[2] = less1(shape.width) | less1(shape.height) << 14;
  out.image[3] = format.selection() | static_cast<std::uint32_t>(shape.kind) << 28;
  out.image[4] = less1(shape.depth) | less1(shape.pitch) << 13;
  describeForLibraries(shape.width, format, out);
}

void describeLine(std::uint64_t address, std::size_t bytes, const Format& format, Descriptors& out) {
  const auto texel = static_cast<std::uint32_t>(bytesOf(format.texel));
  out.image[0] = static_cast<std::uint32_t>(address);
  out.image[1] = static_cast<std::uint32_t>(address >> 32) | texel << 16;
  out.image[2] = static_cast<std::uint32_t>(bytes / texel);
  out.image[3] = format.selection() | format.number() << 12 | format.data() << 15;
  describeForLibraries(bytes / texel, format, out);
}

void describeSampler(const hipTextureDesc& reading, Descriptors& out) {
  constexpr std::uint32_t kUnnormalized = 1u << 15, kBilinear = 1u << 20 | 1u << 22;
  const auto wrapping = [&](hipTextureAddressMode mode) -> std::uint32_t {
    const bool normalized = reading.normalizedCoords != 0;  // others are not repeated
    switch (mode) {
      case hipAddressModeWrap:
        return normalized ? 0 : 2;
      case hipAddressModeMirror:
        return normalized ? 1 : 2;
      case hipAddressModeClamp:
        return 2;
      case hipAddressModeBorder:
        return 6;
    }
    return 2;
  };
  for (int i = 0; i < 3; ++i) out.sampler[0] |= wrapping(reading.addressMode[i]) << (3 * i);
  if (reading.normalizedCoords == 0) out.sampler[0] |= kUnnormalized;
  if (reading.filterMode == hipFilterModeLinear) out.sampler[2] |= kBilinear;
}

Kind kindOf(const Array& array) {
  const bool layered = (array.head.flags & hipArrayLayered) != 0;
  if (array.head.height == 0) return layered ? Kind::k1DArray : Kind::k1D;
  return layered ? Kind::k2DArray : array.head.depth != 0 ? Kind::k3D : Kind::k2D;
}

const ArrayObject& objectOf(const Array& array) {
  return static_cast<const ArrayObject&>(*array.impl);
}

std::uint64_t addressOf(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

void describe(const Texture& t, Descriptors& out) {
  Format format{{}, t.reading.readMode == hipReadModeNormalizedFloat, t.reading.sRGB != 0};
  if (t.array != nullptr) {
    const Array& array = *t.array;
    const ArrayObject& object = objectOf(array);
    format.texel = {array.head.format, array.head.channels};
    if (t.view) texelOf(t.view->format, format.texel);
    const Shape shape{kindOf(array), array.head.width, array.rows(), array.slices(), object.pitch / array.texelBytes};
    describeImage(addressOf(object.memory.devicePointer), shape, format, out);
  } else if (t.resource.resType == hipResourceTypeLinear) {
    const auto& line = t.resource.res.linear;
    texelOf(line.desc, format.texel);
    describeLine(addressOf(line.devPtr), line.sizeInBytes, format, out);
  } else {
    const auto& rows = t.resource.res.pitch2D;
    texelOf(rows.desc, format.texel);
    const Shape shape{Kind::k2D, rows.width, rows.height, 1, rows.pitchInBytes / bytesOf(format.texel)};
    describeImage(addressOf(rows.devPtr), shape, format, out);
  }
  if (!t.surface) describeSampler(t.reading, out);
}

}  // namespace

Plane placed(const Plane& plane) {
  if (plane.array == nullptr) return plane;
  const ArrayObject& object = objectOf(*plane.array);
  Plane out = plane;
  out.address =
      static_cast<std::byte*>(object.memory.devicePointer) + plane.z * object.slice + plane.y * object.pitch + plane.x;
  out.pitch = object.pitch;
  out.slice = object.slice;
  return out;
}

hipError_t SoftgpuCore::create(Array& array) {
  auto object = std::make_unique<ArrayObject>();
  object->pitch = roundUp(array.rowBytes(), kPitchAlignment);
  object->slice = object->pitch * array.rows();
  object->memory.device = array.device;
  object->memory.owner = array.owner;
  object->memory.size = object->slice * array.slices();
  const hipError_t error = allocate(object->memory);
  if (error == hipSuccess) array.impl = std::move(object);
  return error;
}

hipError_t SoftgpuCore::destroy(Array& array) {
  return release(objectOf(array).memory);
}

hipError_t SoftgpuCore::create(Texture& texture) {
  Descriptors descriptors;
  describe(texture, descriptors);
  auto object = std::make_unique<TextureObject>();
  object->memory.kind = MemoryKind::kHost;
  object->memory.device = texture.device;
  object->memory.owner = texture.owner;
  object->memory.size = sizeof descriptors;
  if (const hipError_t error = allocate(object->memory); error != hipSuccess) return error;
  std::memcpy(object->memory.host, &descriptors, sizeof descriptors);
  texture.object = object->memory.devicePointer;
  texture.impl = std::move(object);
  return hipSuccess;
}

hipError_t SoftgpuCore::destroy(Texture& texture) {
  return release(static_cast<TextureObject&>(*texture.impl).memory);
}

}  // namespace hipr::softgpu
