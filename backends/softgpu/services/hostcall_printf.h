// The printf service of hostcalls. A lane sends one message in several packets; each packet carries a descriptor and up
// to seven words. Descriptor: bit 0 begin, bit 1 end, bits 5-7 number of words, bits 8-63 message number (given by the
// host in its answer to the first packet). A whole message is {word: 0 stdout, 1 stderr} {format string} {arguments}.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "backends/softgpu/services/host.h"

namespace hipr::softgpu {

class PrintfMessages {
 public:
  // Takes one packet of one lane and returns the answer: the descriptor to continue with, or, for the last packet, the
  // number of bytes printed. Packets of unknown messages are answered with 0.
  std::uint64_t handle(std::span<const std::uint64_t, 8> packet, ServiceHost& host);

  std::size_t unfinished() const { return messages_.size(); }

 private:
  // A kernel that begins messages and never ends them must not use up the host's memory.
  static constexpr std::size_t kMaxMessages = std::size_t{1} << 18;
  static constexpr std::size_t kMaxWords = std::size_t{1} << 23;

  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> messages_;
  std::size_t totalWords_ = 0;
  std::uint64_t nextNumber_ = 1;
};

}  // namespace hipr::softgpu
