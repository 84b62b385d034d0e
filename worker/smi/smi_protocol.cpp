#include "hip_remote/hip.h"
#include "wire/append.h"
#include "worker/smi/protocol.h"

namespace hipr::worker {
namespace {

constexpr std::uint32_t kReply = wire::HIP_REMOTE_FLAG_REPLY;

Protocol::Next refuse(std::vector<std::byte>& out, const std::string& why) {
  wire::appendFrame(out, wire::Opcode::kRefused, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
                    wire::Refused{hipErrorInvalidValue, why});
  return Protocol::Next::kEnd;
}

template <class Message>
bool decode(wire::Bytes payload, Message& message) {
  wire::Reader reader(payload);
  reader.get(message);
  return reader.ok() && reader.atEnd();
}

}  // namespace

Protocol::Next SmiProtocol::serve(std::vector<std::byte>& in, std::vector<std::byte>& out) {
  if (in.size() < wire::kHeaderSize) return Next::kWait;
  wire::Header header;
  if (!wire::decodeHeader(std::span<const std::byte, wire::kHeaderSize>(in.data(), wire::kHeaderSize), header))
    return refuse(out, "not a HIP Remote frame");
  if (header.version != wire::kProtocolVersion)
    return refuse(out, "the client speaks protocol version " + std::to_string(header.version) + ", this worker " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  if (header.length > kMaxInput - wire::kHeaderSize) return refuse(out, "a request this long is none of telemetry");
  const std::size_t size = wire::kHeaderSize + header.length;
  if (in.size() < size) return Next::kWait;
  const std::vector<std::byte> payload(in.begin() + wire::kHeaderSize, in.begin() + static_cast<std::ptrdiff_t>(size));
  in.erase(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(size));

  const auto opcode = static_cast<wire::Opcode>(header.opcode);
  const std::string name = wire::opcodeName(header.opcode);
  switch (opcode) {
    case wire::Opcode::kSmiOpen: {
      wire::SmiOpen open;
      if (!decode(payload, open)) return refuse(out, "malformed " + name);
      greeted_ = true;
      wire::appendFrame(out, opcode, header.request, kReply, station_.greeting(devices_));
      return Next::kAnswered;
    }
    case wire::Opcode::kSmiRead: {
      wire::SmiRead read;
      if (!greeted_) return refuse(out, name + " before SmiOpen");
      if (!decode(payload, read)) return refuse(out, "malformed " + name);
      wire::appendFrame(out, opcode, header.request, kReply, station_.read(read.parts, devices_));
      return Next::kAnswered;
    }
    case wire::Opcode::kPing: {
      wire::Ping ping;
      if (!decode(payload, ping)) return refuse(out, "malformed " + name);
      wire::appendFrame(out, opcode, header.request, kReply, wire::Done{});
      return Next::kAnswered;
    }
    case wire::Opcode::kGoodbye:
      return Next::kEnd;
    default:
      return refuse(out, name + " (" + std::to_string(header.opcode) + ") is not for a telemetry connection");
  }
}

}  // namespace hipr::worker
