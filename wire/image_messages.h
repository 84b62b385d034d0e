// Messages about arrays, which are memory in an order of the device's own, and about what kernels read and write them
// through: textures and surfaces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "wire/stream.h"

namespace hipr::wire {

// Sizes are texels, as the program asked for them: 0 where it has no such dimension.
struct ArrayCreate {
  std::uint64_t array = 0;
  std::int32_t device = 0;
  std::uint64_t width = 0, height = 0, depth = 0;
  std::uint32_t format = 0, channels = 0;  // hipArray_Format; 1, 2 or 4
  std::uint32_t flags = 0;
  static auto fields(auto& m) {
    return std::tie(m.array, m.device, m.width, m.height, m.depth, m.format, m.channels, m.flags);
  }
};
inline constexpr std::uint64_t kMostTexels = 1 << 17;  // in one dimension

struct ArrayDestroy {
  std::uint64_t array = 0;
  static auto fields(auto& m) { return std::tie(m.array); }
};

// What an array of so many bytes counts as, against the credit too: both sides must agree. No device takes less.
inline std::uint64_t costOfArray(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

// A box of an array, from byte x of a row, row y and slice z on; or, with array 0, rows at an address.
struct ArraySide {
  std::uint64_t array = 0;
  std::uint64_t x = 0, y = 0, z = 0;
  std::uint64_t address = 0, pitch = 0, slice = 0;
  static auto fields(auto& m) { return std::tie(m.array, m.x, m.y, m.z, m.address, m.pitch, m.slice); }
};

// Within the worker. At least one side is an array.
struct ArrayCopy {
  std::uint64_t stream = 0;
  ArraySide to{}, from{};
  std::uint64_t width = 0, height = 1, depth = 1;  // of bytes, rows and slices
  static auto fields(auto& m) { return std::tie(m.stream, m.to, m.from, m.width, m.height, m.depth); }
};

// What a texture reads: hipResourceDesc. `type` says which of the others count.
struct TextureSource {
  std::int32_t type = 0;  // hipResourceType
  std::uint64_t array = 0;
  std::uint64_t address = 0, bytes = 0;            // of linear memory, and where rows begin
  std::uint64_t width = 0, height = 0, pitch = 0;  // of rows: texels, rows, bytes
  std::array<std::int32_t, 4> bits{};              // of the channels in such memory
  std::int32_t kind = 0;                           // hipChannelFormatKind
  static auto fields(auto& m) {
    return std::tie(m.type, m.array, m.address, m.bytes, m.width, m.height, m.pitch, m.bits, m.kind);
  }
};

// hipTextureDesc
struct TextureReading {
  std::array<std::int32_t, 3> addressMode{};
  std::int32_t filterMode = 0, readMode = 0;
  bool sRGB = false;
  std::array<float, 4> borderColor{};
  bool normalizedCoords = false;
  std::uint32_t maxAnisotropy = 0;
  std::int32_t mipmapFilterMode = 0;
  float mipmapLevelBias = 0, minMipmapLevelClamp = 0, maxMipmapLevelClamp = 0;
  static auto fields(auto& m) {
    return std::tie(m.addressMode, m.filterMode, m.readMode, m.sRGB, m.borderColor, m.normalizedCoords, m.maxAnisotropy,
                    m.mipmapFilterMode, m.mipmapLevelBias, m.minMipmapLevelClamp, m.maxMipmapLevelClamp);
  }
};

// hipResourceViewDesc
struct TextureView {
  std::int32_t format = 0;
  std::uint64_t width = 0, height = 0, depth = 0;
  std::uint32_t firstLevel = 0, lastLevel = 0, firstLayer = 0, lastLayer = 0;
  static auto fields(auto& m) {
    return std::tie(m.format, m.width, m.height, m.depth, m.firstLevel, m.lastLevel, m.firstLayer, m.lastLayer);
  }
};

struct TextureCreate {
  std::uint64_t texture = 0;
  std::int32_t device = 0;
  bool surface = false;  // of an array, which kernels write too; then there is nothing to say about reading
  TextureSource source{};
  TextureReading reading{};
  std::optional<TextureView> view{};
  static auto fields(auto& m) { return std::tie(m.texture, m.device, m.surface, m.source, m.reading, m.view); }
};
struct TextureCreateReply {
  std::int32_t status = 0;
  std::uint64_t object = 0;  // what kernels know it by
  static auto fields(auto& m) { return std::tie(m.status, m.object); }
};

struct TextureDestroy {
  std::uint64_t texture = 0;
  static auto fields(auto& m) { return std::tie(m.texture); }
};

}  // namespace hipr::wire
