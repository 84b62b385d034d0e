#include "access/frame.h"

namespace hipr::access {
namespace {

Status receive(net::Transport& transport, std::span<std::byte> out) {
  while (!out.empty()) {
    std::size_t got = 0;
    if (Status status = transport.receive({&out, 1}, net::Transport::Patience::kWait, &got); !status.ok())
      return status;
    if (got == 0) return Status::unavailable("receiving: the peer did not respond in time");
    out = out.subspan(got);
  }
  return {};
}

}  // namespace

Status receiveFrame(net::Transport& transport, std::uint64_t limit, wire::Header& header,
                    std::vector<std::byte>& payload) {
  std::byte bytes[wire::kHeaderSize];
  if (Status status = receive(transport, bytes); !status.ok()) return status;
  if (!wire::decodeHeader(bytes, header) || header.length > limit)
    return Status::invalid("the peer does not speak the HIP Remote protocol");
  if (header.version != wire::kProtocolVersion)
    return Status::invalid("the peer speaks protocol version " + std::to_string(header.version) + ", not " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  payload.resize(header.length);
  if (Status status = receive(transport, payload); !status.ok()) return status;
  if (header.opcode != static_cast<std::uint16_t>(wire::Opcode::kRefused)) return {};
  wire::Refused refused;
  return Status::unavailable("refused: " + (decode(payload, refused) ? refused.text : "?"));
}

}  // namespace hipr::access
