// Memory of other processes that this one has opened: for IPC handles, for events that several processes use, and for
// pointers of shared pools. What a process shares is often a part of something larger, which is opened once however
// many of its parts are used here. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/objects.h"

namespace hipr {

struct Process;
struct Region;

// Where a process finds an allocation of another one. It travels as bytes, through whatever the two talk with.
struct SharedPart {
  std::uint64_t size = 0;    // of the allocation
  std::uint64_t offset = 0;  // of the allocation in what the name stands for
  SharedName name{};
};

struct OpenedMemory {
  struct Whole {
    Allocation allocation;
    std::map<void*, int> parts;  // by address: how often it was opened and not closed
  };
  std::mutex mutex;
  std::map<SharedName, Whole> wholes;
};

// REQUIRES: the region is device memory that the program allocated.
hipError_t sharePart(const Region& region, SharedPart& part);

// Opened twice, it has the same address twice and must be closed twice. The part becomes a region of origin kOpened.
hipError_t openPart(Process& p, Device& device, const SharedPart& part, void*& address);
hipError_t closePart(Process& p, const Region& region);    // REQUIRES: its origin is kOpened
hipError_t closeOpened(Process& p, const Region& region);  // the same for the program, which waits for the device
void forgetParts(Process& p, const Device& device);        // at its reset

}  // namespace hipr
