#include "access/frame.h"

namespace hipr::access {

Status receiveFrame(net::Transport& transport, std::uint64_t limit, wire::Header& header,
                    std::vector<std::byte>& payload) {
  std::byte bytes[wire::kHeaderSize];
  if (Status status = transport.receiveAll(bytes); !status.ok()) return status;
  if (!wire::decodeHeader(bytes, header) || header.length > limit)
    return Status::invalid("the peer does not speak the HIP Remote protocol");
  if (header.version != wire::kProtocolVersion)
    return Status::invalid("the peer speaks protocol version " + std::to_string(header.version) + ", not " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  payload.resize(header.length);
  if (Status status = transport.receiveAll(payload); !status.ok()) return status;
  if (header.opcode != static_cast<std::uint16_t>(wire::Opcode::kRefused)) return {};
  wire::Refused refused;
  if (!decode(payload, refused)) return Status::unavailable("refused: ?");
  return refused.toStatus();
}

}  // namespace hipr::access
