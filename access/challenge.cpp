#include "access/challenge.h"

#include <span>
#include <string_view>
#include <vector>

#include "access/frame.h"
#include "access/token.h"
#include "platform/secrets.h"

namespace hipr::access {
namespace {

constexpr auto kChallenge = static_cast<std::uint16_t>(wire::Opcode::kChallenge);
constexpr std::uint64_t kLimit = 64 << 10;  // a refusal may come instead, with its text

template <class Message>
Status receive(net::Transport& transport, std::uint16_t opcode, Message& message) {
  wire::Header header;
  std::vector<std::byte> payload;
  if (Status status = receiveFrame(transport, kLimit, header, payload); !status.ok()) return status;
  const bool expected = header.opcode == opcode && decode(payload, message);
  return expected ? Status{} : Status::invalid("a malformed greeting");
}

template <class Message>
Status send(net::Transport& transport, wire::Opcode opcode, std::uint32_t flags, const Message& message) {
  std::vector<std::byte> frame;
  wire::appendFrame(frame, opcode, 0, flags, message);
  return transport.send(net::Transport::Part(frame));
}

}  // namespace

wire::Bits256 randomNumber() {
  wire::Bits256 out;
  platform::randomBytes(out);
  return out;
}

wire::Bits256 prove(Side side, const std::string& token, const wire::Bits256& client, const wire::Bits256& worker) {
  const std::string_view label = side == Side::kClient ? "HIP Remote client" : "HIP Remote worker";
  const std::span labelBytes(reinterpret_cast<const unsigned char*>(label.data()), label.size());
  return platform::hmacSha256(token, {labelBytes, client, worker});
}

wire::Bits256 proveBound(const std::string& token, const wire::Bits256& binding) {
  constexpr std::string_view kLabel = "HIP Remote client, this connection";
  const std::span label(reinterpret_cast<const unsigned char*>(kLabel.data()), kLabel.size());
  return platform::hmacSha256(token, {label, binding});
}

Status present(net::Transport& transport, const std::string& token, const std::optional<wire::Bits256>& binding,
               int timeoutSeconds) {
  if (token.empty()) return {};
  if (binding) {
    return send(transport, wire::Opcode::kProof, wire::HIP_REMOTE_FLAG_NO_REPLY,
                wire::Proof{proveBound(token, *binding)});
  }
  transport.setTimeout(timeoutSeconds * 1000);
  const wire::Challenge challenge{tokenNumber(token), randomNumber()};
  wire::ChallengeReply reply;
  if (Status status = send(transport, wire::Opcode::kChallenge, 0, challenge); !status.ok()) return status;
  if (Status status = receive(transport, kChallenge, reply); !status.ok()) return status;
  if (!platform::equalSecrets(reply.proof, prove(Side::kWorker, token, challenge.number, reply.number))) {
    return Status::unavailable(
        "the worker has another token than this program (HIP_REMOTE_TOKEN, HIP_REMOTE_TOKEN_FILE)");
  }
  transport.setTimeout(0);
  return send(transport, wire::Opcode::kProof, wire::HIP_REMOTE_FLAG_NO_REPLY,
              wire::Proof{prove(Side::kClient, token, challenge.number, reply.number)});
}

}  // namespace hipr::access
