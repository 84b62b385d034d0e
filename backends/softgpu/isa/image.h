// Images: the descriptor (T#), where its texels are, and how they move between memory and registers. Images are linear
// and have one level: softgpu's own descriptors say so, and others end the kernel.
#pragma once

#include "backends/softgpu/isa/format.h"
#include "backends/softgpu/isa/memory.h"

namespace hipr::softgpu::HIPR_LEVEL {

// The registers of up to four components of each lane.
using Components = std::uint32_t[4][kLanes];

struct Image {
  std::uint64_t base = 0;
  std::uint64_t pitch = 0;     // texels from row to row
  std::uint64_t rows = 0;      // from slice to slice, or layer to layer
  std::uint32_t size[3] = {};  // width, height and slices or layers, 1 where there are none
  std::uint32_t firstLayer = 0;
  unsigned axes = 0;  // coordinates that are not a layer
  bool layered = false;
  bool cube = false;  // layers are faces
  Format format;
  std::uint8_t selector[4] = {};

  static bool read(Wave& w, const Inst& i, Image& image);  // false after raising a fault

  // REQUIRES: inside `size`. No descriptor makes this overflow: 2^47 bytes past a base of 48 bits are the most.
  std::uint64_t address(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return base + (((z + firstLayer) * rows + y) * pitch + x) * format.bytes;
  }
};

// Coordinate `n` of a lane as the instruction has it: 32 bits, or 16 of them two by two.
HIPR_INLINE std::uint32_t coordinate(const Wave& w, const Inst& i, unsigned n, int lane) {
  const std::uint32_t* row = w.row(i.src[0]);
  if (!(i.ext & kImageA16)) return row[n * kLanes + static_cast<unsigned>(lane)];
  return row[n / 2 * kLanes + static_cast<unsigned>(lane)] >> (n % 2 * 16) & 0xffff;
}

// The coordinate that is a layer, if the image has layers and the instruction knows.
HIPR_INLINE bool hasLayer(const Inst& i, const Image& image) {
  return image.layered && (i.ext & kImageArray);
}

// Texels of integer coordinates. `a.active` has the lanes that are inside the image only.
void texelAddresses(Wave& w, const Inst& i, const Image& image, Addresses& a);

// REQUIRES: `bytes` of a format, and that they may be touched.
void readTexel(std::uint64_t at, unsigned bytes, std::uint32_t (&texel)[4]);
void writeTexel(std::uint64_t at, unsigned bytes, const std::uint32_t (&texel)[4]);

// The components that DMASK names, side by side, as the registers of a load get them and those of a store hold them.
// Hardware takes an empty mask for X.
unsigned componentMask(const Inst& i);
void deliver(const Inst& i, const Format& f, const std::uint32_t (&values)[4], int lane, Components& to);
void collect(const Wave& w, const Inst& i, const Format& f, int lane, std::uint32_t (&values)[4]);
// Writes what deliver() made to the active lanes.
void finish(Wave& w, const Inst& i, const Components& values);

}  // namespace hipr::softgpu::HIPR_LEVEL
