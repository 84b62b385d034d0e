#include "worker/data_frame.h"

#include <cstring>

namespace hipr::worker {

DataHead dataHead(std::uint64_t transfer, std::uint64_t offset, std::uint64_t length) {
  DataHead head;
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(wire::Opcode::kData),
                      .flags = wire::HIP_REMOTE_FLAG_NO_REPLY,
                      .length = wire::kDataPrefix + length},
                     head.data());
  std::memcpy(head.data() + wire::kHeaderSize, &transfer, sizeof transfer);
  std::memcpy(head.data() + wire::kHeaderSize + 8, &offset, sizeof offset);
  return head;
}

DataFrame::DataFrame(DownloadPacking& packing, std::uint64_t transfer, std::uint64_t offset,
                     std::span<const std::byte> bytes) {
  std::vector<std::byte> packed;
  if (!packing.pack(bytes, packed)) {
    head_ = dataHead(transfer, offset, bytes.size());
    body_ = bytes;
    return;
  }
  const auto opcode = wire::Opcode::kPackedData;
  appendFrame(packed_, opcode, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::PackedData{transfer, offset, bytes.size()});
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(opcode),
                      .flags = wire::HIP_REMOTE_FLAG_NO_REPLY,
                      .length = wire::kPackedDataPrefix + packed.size()},
                     packed_.data());
  packed_.insert(packed_.end(), packed.begin(), packed.end());
}

}  // namespace hipr::worker
