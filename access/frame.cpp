#include "access/frame.h"

namespace hipr::access {

Status receiveFrame(net::Socket& socket, std::uint64_t limit, wire::Header& header, std::vector<std::byte>& payload) {
  std::byte bytes[wire::kHeaderSize];
  if (Status status = socket.receive(bytes, sizeof bytes); !status.ok()) return status;
  if (!wire::decodeHeader(bytes, header) || header.length > limit)
    return Status::invalid("the peer does not speak the HIP Remote protocol");
  if (header.version != wire::kProtocolVersion)
    return Status::invalid("the peer speaks protocol version " + std::to_string(header.version) + ", not " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  payload.resize(header.length);
  if (Status status = socket.receive(payload.data(), payload.size()); !status.ok()) return status;
  if (header.opcode != static_cast<std::uint16_t>(wire::Opcode::kRefused)) return {};
  wire::Refused refused;
  return Status::unavailable("refused: " + (decode(payload, refused) ? refused.text : "?"));
}

std::uint16_t firstOpcode(const net::Socket& socket, int timeoutSeconds) {
  socket.setReceiveTimeout(std::chrono::seconds(timeoutSeconds));
  std::byte bytes[wire::kHeaderSize];
  wire::Header header;
  const platform::IoResult peeked = platform::peek(socket.fd(), bytes);
  return peeked.bytes == sizeof bytes && wire::decodeHeader(bytes, header) ? header.opcode : 0;
}

}  // namespace hipr::access
