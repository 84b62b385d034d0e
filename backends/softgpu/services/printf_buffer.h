// Buffered printf (clang -mprintf-kind=buffered): kernels append records to a buffer and never wait; the host prints
// them when the launch is done. Buffer: {u32 bytes used, u32 size} then records. Record: u32 control = size << 2 |
// constant format << 1 | stderr, then the format string (inline, padded to 8 bytes) or, when constant, its 8-byte hash,
// then the arguments. The code object's metadata (amdhsa.printf) gives the formats by hash as "0:0:HASH,FORMAT".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "backends/softgpu/services/host.h"
#include "base/status.h"

namespace hipr::softgpu {

class PrintfFormats {
 public:
  PrintfFormats() = default;
  explicit PrintfFormats(std::span<const std::string> metadata);
  const std::string* find(std::uint64_t hash) const;

 private:
  std::unordered_map<std::uint64_t, std::string> formats_;
};

class PrintfBuffer {
 public:
  // REQUIRES: kernels may read and write `memory` at this same address; 8-byte aligned, at least 64 bytes, at most 4
  // GiB.
  explicit PrintfBuffer(std::span<std::byte> memory);

  // For hidden_printf_buffer.
  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(memory_.data()); }

  // Prints what kernels have written and empties the buffer. What is written there meanwhile is lost.
  Status drain(const PrintfFormats& formats, ServiceHost& host);

 private:
  std::span<std::byte> memory_;
};

}  // namespace hipr::softgpu
