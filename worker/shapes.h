// Rows of device memory (wire::Shape): are they well formed, how far do they reach, where does a piece of their packed
// bytes lie.
#pragma once

#include <algorithm>
#include <cstdint>

#include "wire/messages.h"

namespace hipr::worker {

// Distance from the first byte to one past the last, or 0 when the shape is empty, overlaps itself or does not fit into
// the address space.
inline std::uint64_t extentOf(const wire::Shape& s, std::uint64_t elementSize = 1) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  if (!s.width || !s.height || !s.depth || s.width > kMost / elementSize || s.height > kMost || s.depth > kMost)
    return 0;
  const std::uint64_t width = s.width * elementSize;
  if (s.height > 1 && (s.pitch < width || s.pitch > kMost / s.height)) return 0;
  const std::uint64_t plane = (s.height > 1 ? s.pitch * (s.height - 1) : 0) + width;
  if (s.depth > 1 && (s.slice < plane || s.slice > kMost / s.depth)) return 0;
  const std::uint64_t extent = (s.depth > 1 ? s.slice * (s.depth - 1) : 0) + plane;
  return extent <= kMost ? extent : 0;
}

inline bool contiguous(const wire::Shape& s) {
  return (s.height == 1 || s.pitch == s.width) && (s.depth == 1 || s.slice == s.width * s.height);
}

// Rows at even distances are one plane, however they are described: fewer operations of the runtime. REQUIRES, as for
// the next: the extent is known to be sound
inline wire::Shape flattened(wire::Shape s) {
  constexpr std::uint64_t kMostPitch = INT32_MAX;  // that runtimes take
  const bool even = s.height == 1 ? s.slice <= kMostPitch : s.slice == s.pitch * s.height;
  if (s.depth == 1 || !even) return s;
  if (s.height == 1) s.pitch = s.slice;
  s.height *= s.depth;
  s.depth = 1;
  return s;
}

// Operations of the runtime that a copy between them and packed bytes takes.
inline std::uint64_t planesOf(const wire::Shape& s) {
  return contiguous(s) ? 1 : flattened(s).depth;
}

// Calls place(address, length) for every contiguous run of the packed bytes [offset, offset + length).
template <class F>
void forEachRun(const wire::Shape& s, std::uint64_t offset, std::uint64_t length, F&& place) {
  if (contiguous(s)) return place(s.address + offset, length);
  while (length) {
    const std::uint64_t row = offset / s.width, inRow = offset % s.width;
    const std::uint64_t n = std::min(length, s.width - inRow);
    place(s.address + row / s.height * s.slice + row % s.height * s.pitch + inRow, n);
    offset += n;
    length -= n;
  }
}

}  // namespace hipr::worker
