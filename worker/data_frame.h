// Pieces of downloads as they travel: frames of Data, or of PackedData.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/messages.h"
#include "worker/packed_data.h"

namespace hipr::worker {

// The head of a Data frame: header and message; the bytes themselves follow.
using DataHead = std::array<std::byte, wire::kHeaderSize + wire::kDataPrefix>;
DataHead dataHead(std::uint64_t transfer, std::uint64_t offset, std::uint64_t length);

// A piece, packed if that pays. REQUIRES: the bytes last as long.
class DataFrame {
 public:
  DataFrame(DownloadPacking& packing, std::uint64_t transfer, std::uint64_t offset, std::span<const std::byte> bytes);

  std::span<const std::byte> head() const { return packed_.empty() ? std::span<const std::byte>(head_) : packed_; }
  std::span<const std::byte> body() const { return body_; }  // what was given, or nothing: it is in the head, packed

 private:
  DataHead head_{};
  std::vector<std::byte> packed_;
  std::span<const std::byte> body_;
};

}  // namespace hipr::worker
