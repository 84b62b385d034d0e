// Making and ending allocations, for every call that does.
#pragma once

#include "runtime/process.h"

namespace hipr {

// Allocates on `device` and makes it known. REQUIRES: size is not 0.
hipError_t allocateMemory(Process& p, Device& device, MemoryKind kind, std::size_t size, unsigned flags,
                          Region::Origin origin, void*& address, const void* owner = nullptr);

// What all of it begins and ends with. Host memory is everybody's: the other cores admit it.
hipError_t allocateIn(Core& core, Allocation& allocation);
hipError_t releaseFrom(Core& core, const Allocation& allocation);
void admitAll(const Process& p, Core& core);  // it has begun anew, and knows of nothing

// What HIP promises before memory is freed: nothing that was given to a device that may use it is still on its way.
void fence(Process& p, const Allocation& allocation);
void reveal(const Allocation& allocation);  // before the program is told where kernels find it

// Ends what take() returned. Memory of a pool goes back there. REQUIRES: no work uses it, or will before fence().
hipError_t releaseMemory(Process& p, const Region& region);
hipError_t freeOther(Process& p, void* address);  // no allocation call made it: a graph did, or another process

// The memory an address lies in: an allocation, or a variable.
std::optional<Region> findRegion(Process& p, const void* address);

// hipMallocManaged or __managed__.
bool isManaged(const Region& region);

}  // namespace hipr
