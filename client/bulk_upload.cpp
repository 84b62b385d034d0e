#include "client/bulk_upload.h"

#include <algorithm>
#include <cstring>

namespace hipr::client {
namespace {

// Bytes [offset, offset + size) of the packed form of `shape`.
void pack(const HostShape& shape, std::size_t offset, std::size_t size, std::byte* out) {
  while (size) {
    const std::size_t row = offset / shape.width, column = offset % shape.width;
    const std::byte* from =
        shape.address + (row / shape.height) * shape.slice + (row % shape.height) * shape.pitch + column;
    const std::size_t n = std::min(size, shape.width - column);
    std::memcpy(out, from, n);
    out += n;
    offset += n;
    size -= n;
  }
}

}  // namespace

wire::Bytes HostShape::packed(std::size_t offset, std::size_t size, std::vector<std::byte>& room) const {
  if (contiguous()) return {address + offset, size};
  room.resize(size);
  pack(*this, offset, size, room.data());
  return room;
}

}  // namespace hipr::client
