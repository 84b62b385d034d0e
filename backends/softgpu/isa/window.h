// Lanes at 32-bit offsets from one base, all of them in reach: what most memory accesses are that are not a span.
#pragma once

#include "backends/softgpu/isa/span.h"

namespace hipr::softgpu::HIPR_LEVEL {

struct Window {
  std::uint64_t base;       // a device address until placeWindow()
  std::uint32_t low, high;  // offsets of the active lanes
  Rows offsets;             // where they differ; inactive lanes repeat an active one
  alignas(64) std::uint32_t repeated[kLanes];
};

// Takes over the active lanes' offsets, of which there is one.
void takeOffsets(Wave& w, Rows offsets, Window& window);

// Makes the base one of this process's own addresses; false when some of `bytes` at every lane's offset is out of
// reach.
bool placeWindow(Wave& w, unsigned bytes, Window& window);

// False when the access has another shape, touches memory out of reach or no lane is active.
bool globalWindow(Wave& w, const Inst& i, unsigned bytes, Window& window);
bool flatWindow(Wave& w, const Inst& i, unsigned bytes, Window& window);
bool ldsWindow(Wave& w, const Inst& i, std::uint32_t offset, unsigned bytes, Window& window);

// Registers <-> memory in the lanes of EXEC; `dwords` is 1, 2, 3 or 4.
void loadWindow(Wave& w, const Window& window, unsigned dwords, std::uint32_t* row);
void storeWindow(const Wave& w, const Window& window, unsigned dwords, Rows row);

}  // namespace hipr::softgpu::HIPR_LEVEL
