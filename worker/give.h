// Turns launches, copies and fills into calls and structures of the HIP runtime, both for handlers that give them to a
// stream at once and for graphs, which keep them.
#pragma once

#include <cstddef>
#include <vector>

#include "code_object/metadata.h"
#include "worker/hip_table.h"
#include "worker/shapes.h"

namespace hipr::worker {

inline void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

// --- copies.cpp
wire::Shape sourceOf(const wire::DeviceCopy& m);
wire::Shape bytesOf(const wire::FillMemory& m);  // where it writes. REQUIRES: its extent is known to be sound
// Operations of the runtime that it becomes. REQUIRES: its extent is known to be sound
std::uint64_t piecesOf(const wire::DeviceCopy& m);
std::uint64_t piecesOf(const wire::FillMemory& m);
hipError_t giveCopy(const HipTable& hip, const wire::DeviceCopy& m, hipStream_t stream);
hipError_t giveFill(const HipTable& hip, const wire::FillMemory& m, hipStream_t stream);

// --- stream_memory.cpp
bool wellFormed(const wire::WordSteps& m);
hipError_t giveWords(const HipTable& hip, const wire::WordSteps& m, hipStream_t stream);

// --- launch.cpp
bool partialGroups(const wire::LaunchKernel& m);
// kernelParams: where each explicit argument lies in the packed ones.
std::vector<void*> argumentPointers(const code::KernelMetadata& kernel, std::byte* arguments);

}  // namespace hipr::worker
