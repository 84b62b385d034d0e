#include "client/bulk_upload.h"

#include <cstring>

namespace hipr::client {

wire::Bytes HostShape::packed(std::size_t offset, std::size_t size, std::vector<std::byte>& room) const {
  if (contiguous()) return {address + offset, size};
  room.resize(size);
  std::byte* out = room.data();
  forEachRun(offset, size, [&](const std::byte* from, std::size_t n) {
    std::memcpy(out, from, n);
    out += n;
  });
  return room;
}

void HostShape::unpack(std::size_t offset, wire::Bytes bytes) const {
  forEachRun(offset, bytes.size(), [&](std::byte* at, std::size_t n) {
    std::memcpy(at, bytes.data(), n);
    bytes = bytes.subspan(n);
  });
}

}  // namespace hipr::client
