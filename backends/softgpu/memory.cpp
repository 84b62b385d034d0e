#include "backends/softgpu/memory.h"

#include "backends/softgpu/core.h"
#include "backends/softgpu/state.h"

namespace hipr::softgpu {

Block::~Block() {
  if (arena != nullptr && begin != 0) arena->free(begin, size);
}

namespace {

// Small blocks from the arena, large ones from the system.
bool obtain(Block& block, std::size_t size, Arena& arena, Reach reach) {
  if (size <= Arena::kMaxBlock) {
    block.arena = &arena;
    block.size = arena.blockSize(size);
    const Arena::Place place = arena.allocate(size);
    block.begin = place.address;
    block.shift = place.shift;
  } else {
    block.mapping = Mapping::make(size, reach);
    if (!block.mapping) return false;
    block.begin = block.mapping.address();
    block.shift = block.mapping.shift();
    block.size = block.mapping.size();
  }
  return block.begin != 0;
}

}  // namespace

void retireBlock(std::unique_ptr<Block> block) {
  // What the program gave back is its own again at once, whenever the system really gets it.
  if (block->charged != nullptr) block->charged->refund(block->size);
  const std::uint64_t begin = block->begin;
  const std::shared_ptr<Block> last = std::move(block);
  state().retire(begin, std::make_shared<Task>([last] {}));
}

hipError_t SoftgpuCore::allocate(Allocation& allocation) {
  State& s = state();
  Device& device = s.device(allocation.device);
  auto block = std::make_unique<Block>();
  MemoryRange range;
  if (allocation.kind == MemoryKind::kRegistered) {
    block->begin = reinterpret_cast<std::uint64_t>(allocation.host);
    block->size = allocation.size;
    range.devices = kEveryDevice;
  } else if (allocation.kind == MemoryKind::kDevice) {
    if (allocation.size > device.capacity) return hipErrorOutOfMemory;
    if (!obtain(*block, allocation.size, device.smallBlocks, s.discrete.reach())) return hipErrorOutOfMemory;
    if (!device.charge(block->size)) return hipErrorOutOfMemory;
    block->charged = &device;
    range.devices = std::uint64_t{1} << device.index;
    range.owner = device.index;
  } else {
    if (!obtain(*block, allocation.size, s.hostBlocks, Reach::kCpu)) return hipErrorOutOfMemory;
    range.devices = kEveryDevice;
  }
  range.begin = block->begin;
  range.end = range.begin + block->size;
  range.shift = block->shift;
  if (!s.regions.insert(range)) {
    if (block->charged != nullptr) device.refund(block->size);
    return allocation.kind == MemoryKind::kRegistered ? hipErrorHostMemoryAlreadyRegistered : hipErrorOutOfMemory;
  }
  allocation.devicePointer = reinterpret_cast<void*>(block->begin);
  allocation.host = block->shift == 0 ? allocation.devicePointer : nullptr;
  device.blocks.add(allocation.devicePointer, std::move(block));
  return hipSuccess;
}

hipError_t SoftgpuCore::release(const Allocation& allocation) {
  auto block = state().device(allocation.device).blocks.take(allocation.devicePointer);
  if (block == nullptr) return hipErrorInvalidValue;
  retireBlock(std::move(block));
  return hipSuccess;
}

// Without these two there is nothing that the other calls could be given.
hipError_t SoftgpuCore::memAddressReserve(void** address, std::size_t size, std::size_t alignment, void* hint) {
  if (!state().discrete.placesMemory) return hipErrorNotSupported;
  return state().vmm.reserve(address, size, alignment, hint);
}

hipError_t SoftgpuCore::memAddressFree(void* address, std::size_t size) {
  return state().vmm.free(address, size);
}

hipError_t SoftgpuCore::memCreate(std::uint64_t* physical, std::size_t size, const hipMemAllocationProp& prop) {
  State& s = state();
  if (!s.discrete.placesMemory) return hipErrorNotSupported;
  const int device = prop.location.id;
  if (prop.location.type != hipMemLocationTypeDevice || device < 0 || device >= static_cast<int>(s.devices.size()))
    return hipErrorInvalidValue;
  return s.vmm.create(physical, size, s.device(device));
}

hipError_t SoftgpuCore::memRelease(std::uint64_t physical) {
  return state().vmm.release(physical);
}

hipError_t SoftgpuCore::memMap(void* address, std::size_t size, std::size_t offset, std::uint64_t physical) {
  return state().vmm.map(address, size, offset, physical);
}

hipError_t SoftgpuCore::memUnmap(void* address, std::size_t size) {
  return state().vmm.unmap(address, size);
}

hipError_t SoftgpuCore::memSetAccess(void* address, std::size_t size, const hipMemAccessDesc* descriptions,
                                     std::size_t count) {
  State& s = state();
  std::uint64_t changed = 0, granted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const hipMemAccessDesc& d = descriptions[i];
    if (d.location.type != hipMemLocationTypeDevice) continue;  // the CPU always reaches it
    if (d.location.id < 0 || d.location.id >= static_cast<int>(s.devices.size())) return hipErrorInvalidDevice;
    const std::uint64_t bit = std::uint64_t{1} << d.location.id;
    changed |= bit;
    if (d.flags != hipMemAccessFlagsProtNone) granted |= bit;
  }
  return s.vmm.setAccess(address, size, changed, granted);
}

std::size_t SoftgpuCore::memGranularity(int) {
  return state().discrete.placesMemory ? Vmm::kGranularity : 0;
}

}  // namespace hipr::softgpu
