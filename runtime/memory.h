// Making and ending allocations, for every call that does.
#pragma once

#include "runtime/process.h"

namespace hipr {

// Allocates on `device` and makes it known. REQUIRES: size is not 0.
hipError_t allocateMemory(Process& p, Device& device, MemoryKind kind, std::size_t size, unsigned flags,
                          Region::Origin origin, void*& address, const void* owner = nullptr);

// Ends what take() returned.
hipError_t releaseMemory(Process& p, Region region);

// The memory an address lies in: an allocation, or a variable.
std::optional<Region> findRegion(Process& p, const void* address);

// hipMallocManaged or __managed__.
bool isManaged(const Region& region);

}  // namespace hipr
