// Memory that a graph allocates. Its address is fixed when the node is made, so the memory is kept from then on, as
// long as a graph or an instance refers to it; what changes is whether the program may use it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "runtime/device.h"

namespace hipr {

struct Process;

struct GraphMemory : std::enable_shared_from_this<GraphMemory> {
  GraphMemory(Process& ofProcess, Device& ofDevice, std::size_t bytes)
      : process(ofProcess), device(ofDevice), size(bytes) {}
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  void use(bool now);  // a launch has allocated it; a launch or the program has freed it

  Process& process;
  Device& device;
  const std::size_t size;
  void* address = nullptr;
  bool inUse = false;
  bool freed = false;  // some node does
};

// hipFree and hipFreeAsync of memory that a launch has allocated. `taken`: it was such memory.
hipError_t freeGraphMemory(Process& p, void* address, bool& taken);

// hipMallocAsync and hipFreeAsync on a stream that is captured.
hipError_t captureAllocation(Process& p, Stream& stream, std::size_t size, void*& address);
hipError_t captureFree(Process& p, Stream& stream, void* address);

template <class F>
void count(Device& device, F&& change) {
  const std::lock_guard lock(device.mutex);
  change(device.graphMemory);
}

}  // namespace hipr
