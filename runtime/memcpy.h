// Every copy of the HIP API in one form.
#pragma once

#include <cstddef>

#include "runtime/operation.h"
#include "runtime/stream.h"

namespace hipr {

struct CopySide {
  const void* address = nullptr;
  std::size_t pitch = 0;       // between rows
  std::size_t slice = 0;       // between slices
  const void* base = nullptr;  // of a box inside a memory: where that memory begins. The box may not leave it
  Array* array = nullptr;      // instead of an address: a box of this, from byte x of row y of slice z on
  std::size_t x = 0, y = 0, z = 0;

  bool named() const { return address != nullptr || array != nullptr; }
};

struct CopyRequest {
  CopySide to{}, from{};
  std::size_t width = 0;  // bytes
  std::size_t height = 1;
  std::size_t depth = 1;
  hipMemcpyKind kind = hipMemcpyDefault;
};

// A direction HIP knows.
inline bool knownKind(hipMemcpyKind kind) {
  return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) || kind == hipMemcpyDeviceToDeviceNoCU;
}

// Checks the request by HIP's rules and finds out what memory it names. REQUIRES: no extent is 0.
hipError_t makeCopy(const Process& p, const CopyRequest& request, Copy& out);

// The same, and hands it to the core. What memory an address is decides how it is copied, and
// how far it has to come: `asked` is kVisible for hipMemcpy, kDone for hipMemcpyPeer and kSent for hipMemcpyAsync. The
// kind has only to be a known one, as in HIP.
hipError_t copyMemory(Process& p, Stream& stream, const CopyRequest& request, Stage asked);

// The same on a handle, with everything a copy call begins with.
hipError_t copyMemory(hipStream_t stream, const CopyRequest& request, Stage asked);

// As streamForWork; only batches of copies call what is no stream a wrong handle.
inline hipError_t streamForBatch(hipStream_t handle, Process*& p, Stream*& out) {
  const hipError_t error = streamForWork(handle, p, out);
  return error == hipErrorContextIsDestroyed ? hipErrorInvalidHandle : error;
}

// What hipMemcpy3D's and the driver's descriptions ask for. REQUIRES: no extent is 0.
hipError_t boxRequest(const hipMemcpy3DParms& box, CopyRequest& out);
hipError_t driverRequest(const HIP_MEMCPY3D& box, CopyRequest& out);

// Copies between a box of an array and rows of memory, or of another array, end in one of these: whole texels, and
// layers of one dimension counted as slices. hipErrorInvalidValue when the box leaves the array.
hipError_t fitArrays(CopyRequest& request);
// An array as a side of a copy; hipErrorInvalidValue when there is none.
hipError_t arraySide(const void* handle, std::size_t x, std::size_t y, std::size_t z, CopySide& out);

inline CopyRequest linear(void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  return {.to = {to, size, size}, .from = {from, size, size}, .width = size, .kind = kind};
}

}  // namespace hipr
