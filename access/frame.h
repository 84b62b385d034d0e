// Single frames on a socket, for as long as nothing more is known of the peer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "net/socket.h"
#include "wire/append.h"

namespace hipr::access {

// Reads one frame of at most `limit` bytes. A Refused is a failure with its text.
Status receiveFrame(net::Socket& socket, std::uint64_t limit, wire::Header& header, std::vector<std::byte>& payload);

// What the peer says first, which stays unread. 0 when that is not of our protocol, or nothing within the timeout. The
// timeout stays with the socket.
std::uint16_t firstOpcode(const net::Socket& socket, int timeoutSeconds);

template <class Message>
bool decode(const std::vector<std::byte>& payload, Message& message) {
  wire::Reader reader(payload);
  reader.get(message);
  return reader.ok() && reader.atEnd();
}

}  // namespace hipr::access
