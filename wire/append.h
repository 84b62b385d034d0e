// Whole frames, appended to a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/frame.h"
#include "wire/messages.h"

namespace hipr::wire {

template <class Message>
void appendFrame(std::vector<std::byte>& out, Opcode opcode, std::uint32_t request, std::uint32_t flags,
                 const Message& message) {
  const std::size_t start = out.size();
  out.resize(start + kHeaderSize);
  Writer(out).put(message);
  encodeHeader({.opcode = static_cast<std::uint16_t>(opcode),
                .request = request,
                .flags = flags,
                .length = out.size() - start - kHeaderSize},
               out.data() + start);
}

}  // namespace hipr::wire
