// Single frames of a connection, for as long as nothing more is known of the peer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "net/transport.h"
#include "wire/append.h"

namespace hipr::access {

// Reads one frame of at most `limit` bytes, waiting as long as the transport's timeout for more of it. A Refused is a
// failure with its text.
Status receiveFrame(net::Transport& transport, std::uint64_t limit, wire::Header& header,
                    std::vector<std::byte>& payload);

template <class Message>
bool decode(std::span<const std::byte> payload, Message& message) {
  wire::Reader reader(payload);
  reader.get(message);
  return reader.ok() && reader.atEnd();
}

}  // namespace hipr::access
