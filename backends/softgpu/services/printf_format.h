// C printf over arguments that arrived as raw bytes from a kernel. Every argument occupies whole 8-byte words: integers
// and pointers widened to 64 bits, floating point as double, strings inline with their terminator, padded to 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hipr::softgpu {

// Reads arguments one after the other. Past the end it gives zeros and empty strings: a kernel's wrong format string
// must not take the runtime down.
class PrintfArgs {
 public:
  explicit PrintfArgs(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t word();
  double real();
  std::string_view text();

 private:
  std::span<const std::byte> bytes_;
};

// The text printf would print; widths and precisions are limited to 65536, the whole to about 16 MiB.
std::string formatPrintf(std::string_view format, PrintfArgs& args);

}  // namespace hipr::softgpu
