// Memory that several processes of one machine have: each maps the same memory file. By name, a file is the descriptor
// of the process that made it, which others open through /proc; it ends with the memory, however that comes about, and
// leaves nothing behind.
#include <fcntl.h>
#include <unistd.h>

#include "backends/softgpu/core.h"
#include "backends/softgpu/memory.h"
#include "backends/softgpu/state.h"
#include "base/log.h"

namespace hipr::softgpu {
namespace {

SharedName nameOf(const MemoryFile& file) {
  const FileSecret secret = file.secret();
  return {static_cast<std::uint64_t>(getpid()) << 32 | static_cast<std::uint32_t>(file.descriptor()), secret[0],
          secret[1]};
}

hipError_t busy() {
  logError("softgpu: memory cannot be shared with other processes while kernels or waiting streams may use it");
  return hipErrorNotReady;
}

}  // namespace

hipError_t SoftgpuCore::share(const Allocation& allocation, SharedName& name, std::size_t& offset) {
  State& s = state();
  Block* block = s.device(allocation.device).blocks.find([&](const Block& b) {
    return b.begin == reinterpret_cast<std::uint64_t>(allocation.devicePointer);
  });
  if (block == nullptr || (block->arena == nullptr && !block->mapping)) return hipErrorInvalidValue;
  hipError_t error = hipErrorOutOfMemory;
  const bool done = s.whileAtRest([&] {
    offset = 0;
    const MemoryFile& file =
        block->arena != nullptr ? block->arena->share(block->begin, offset) : block->mapping.share();
    if (!file) return;
    name = nameOf(file);
    error = hipSuccess;
  });
  return done ? error : busy();
}

hipError_t SoftgpuCore::openShared(const SharedName& name, Allocation& whole) {
  State& s = state();
  Device& device = s.device(whole.device);
  auto block = std::make_unique<Block>();
  MemoryFile file = MemoryFile::of(static_cast<int>(name[0] >> 32), static_cast<int>(name[0] & 0xffffffff),
                                   FileSecret{name[1], name[2]});
  if (!file) return hipErrorInvalidDevicePointer;
  block->mapping = Mapping::of(std::move(file), s.discrete.reach());
  if (!block->mapping) return hipErrorOutOfMemory;
  block->begin = block->mapping.address();
  block->shift = block->mapping.shift();
  block->size = block->mapping.size();
  MemoryRange range;
  range.begin = block->begin;
  range.end = block->begin + block->size;
  range.shift = block->shift;
  range.devices = kEveryDevice;  // hipIpcMemLazyEnablePeerAccess, which is the only way to open it
  range.owner = device.index;
  if (!s.regions.insert(range)) return hipErrorOutOfMemory;
  whole.size = block->size;
  whole.devicePointer = reinterpret_cast<void*>(block->begin);
  whole.host = block->shift == 0 ? whole.devicePointer : nullptr;
  device.blocks.add(whole.devicePointer, std::move(block));
  return hipSuccess;
}

hipError_t SoftgpuCore::closeShared(const Allocation& whole) {
  return release(whole);
}

hipError_t SoftgpuCore::memExport(std::uint64_t physical, int* descriptor) {
  hipError_t error = hipErrorUnknown;
  const bool done = state().whileAtRest([&] { error = state().vmm.share(physical, descriptor); });
  return done ? error : busy();
}

hipError_t SoftgpuCore::memImport(int descriptor, int device, std::uint64_t* physical, std::size_t* size) {
  MemoryFile file = MemoryFile::adopt(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  *size = file.size();
  return state().vmm.adopt(physical, std::move(file), state().device(device));
}

}  // namespace hipr::softgpu
