// Single frames on a socket, for as long as nothing more is known of the peer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "net/socket.h"
#include "wire/append.h"

namespace hipr::access {

// Reads one frame of at most `limit` bytes. A Refused is a failure with its text.
Status receiveFrame(net::Socket& socket, std::uint64_t limit, wire::Header& header, std::vector<std::byte>& payload);

template <class Message>
bool decode(std::span<const std::byte> payload, Message& message) {
  wire::Reader reader(payload);
  reader.get(message);
  return reader.ok() && reader.atEnd();
}

}  // namespace hipr::access
