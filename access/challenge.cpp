#include "access/challenge.h"

#include <string_view>

#include "access/frame.h"
#include "platform/secrets.h"

namespace hipr::access {
namespace {

constexpr auto kChallenge = static_cast<std::uint16_t>(wire::Opcode::kChallenge);
constexpr auto kProof = static_cast<std::uint16_t>(wire::Opcode::kProof);
constexpr std::uint64_t kLimit = 64 << 10;  // a refusal may come instead, with its text

wire::Bits256 randomNumber() {
  wire::Bits256 out;
  platform::randomBytes(out);
  return out;
}

template <class Message>
Status receive(net::Socket& socket, std::uint16_t opcode, Message& message) {
  wire::Header header;
  std::vector<std::byte> payload;
  if (Status status = receiveFrame(socket, kLimit, header, payload); !status.ok()) return status;
  const bool expected = header.opcode == opcode && decode(payload, message);
  return expected ? Status{} : Status::invalid("a malformed greeting");
}

template <class Message>
Status send(net::Socket& socket, wire::Opcode opcode, std::uint32_t flags, const Message& message) {
  std::vector<std::byte> frame;
  wire::appendFrame(frame, opcode, 0, flags, message);
  return socket.send(frame);
}

}  // namespace

wire::Bits256 prove(Side side, const std::string& token, const wire::Bits256& client, const wire::Bits256& worker) {
  const std::string_view label = side == Side::kClient ? "HIP Remote client" : "HIP Remote worker";
  const std::span labelBytes(reinterpret_cast<const unsigned char*>(label.data()), label.size());
  return platform::hmacSha256(token, {labelBytes, client, worker});
}

Status present(net::Socket& socket, const std::string& token, int timeoutSeconds) {
  if (token.empty()) return {};
  socket.setReceiveTimeout(std::chrono::seconds(timeoutSeconds));
  const wire::Challenge challenge{randomNumber()};
  wire::ChallengeReply reply;
  if (Status status = send(socket, wire::Opcode::kChallenge, 0, challenge); !status.ok()) return status;
  if (Status status = receive(socket, kChallenge, reply); !status.ok()) return status;
  if (!platform::equalSecrets(reply.proof, prove(Side::kWorker, token, challenge.number, reply.number))) {
    return Status::unavailable(
        "the worker has another token than this program (HIP_REMOTE_TOKEN, HIP_REMOTE_TOKEN_FILE)");
  }
  socket.setReceiveTimeout({});
  return send(socket, wire::Opcode::kProof, wire::HIP_REMOTE_FLAG_NO_REPLY,
              wire::Proof{prove(Side::kClient, token, challenge.number, reply.number)});
}

Status admit(net::Socket& socket, const std::string& token, int timeoutSeconds) {
  const bool presents = firstOpcode(socket, timeoutSeconds) == kChallenge;
  if (token.empty() && !presents) return {};
  if (token.empty()) {
    return Status::unavailable(
        "this worker has no token; start it with --token-file, or unset HIP_REMOTE_TOKEN and HIP_REMOTE_TOKEN_FILE");
  }
  if (!presents) return Status::unavailable("this worker wants a token; set HIP_REMOTE_TOKEN or HIP_REMOTE_TOKEN_FILE");
  wire::Challenge challenge;
  if (Status status = receive(socket, kChallenge, challenge); !status.ok()) return status;
  const wire::Bits256 number = randomNumber();
  const wire::ChallengeReply reply{number, prove(Side::kWorker, token, challenge.number, number)};
  if (Status status = send(socket, wire::Opcode::kChallenge, wire::HIP_REMOTE_FLAG_REPLY, reply); !status.ok())
    return status;
  wire::Proof proof;
  if (Status status = receive(socket, kProof, proof); !status.ok())
    return status.within("no proof that the client knows the token");
  const bool known = platform::equalSecrets(proof.proof, prove(Side::kClient, token, challenge.number, number));
  return known ? Status{} : Status::unavailable("the token is wrong");
}

}  // namespace hipr::access
