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
  socket.setReceiveTimeout(timeoutSeconds);
  const wire::Challenge challenge{randomNumber()};
  wire::ChallengeReply reply;
  if (Status status = send(socket, wire::Opcode::kChallenge, 0, challenge); !status.ok()) return status;
  if (Status status = receive(socket, kChallenge, reply); !status.ok()) return status;
  if (!platform::equalSecrets(reply.proof, prove(Side::kWorker, token, challenge.number, reply.number))) {
    return Status::unavailable(
        "the worker has another token than this program (HIP_REMOTE_TOKEN, HIP_REMOTE_TOKEN_FILE)");
  }
  socket.setReceiveTimeout(0);
  return send(socket, wire::Opcode::kProof, wire::HIP_REMOTE_FLAG_NO_REPLY,
              wire::Proof{prove(Side::kClient, token, challenge.number, reply.number)});
}

bool Admission::concerns(const wire::Header& header) {
  return header.opcode == kChallenge || header.opcode == kProof;
}

Status Admission::take(const wire::Header& header, std::span<const std::byte> payload, std::vector<std::byte>& reply) {
  if (token_.empty()) {
    return Status::unavailable(
        "this worker has no token; start it with --token-file, or unset HIP_REMOTE_TOKEN and HIP_REMOTE_TOKEN_FILE");
  }
  wire::Challenge challenge;
  wire::Proof proof;
  if (stage_ == Stage::kNew && header.opcode == kChallenge && decode(payload, challenge)) {
    client_ = challenge.number;
    worker_ = randomNumber();
    wire::appendFrame(reply, wire::Opcode::kChallenge, header.request, wire::HIP_REMOTE_FLAG_REPLY,
                      wire::ChallengeReply{worker_, prove(Side::kWorker, token_, client_, worker_)});
    stage_ = Stage::kChallenged;
    return {};
  }
  if (stage_ == Stage::kChallenged && header.opcode == kProof && decode(payload, proof)) {
    if (!platform::equalSecrets(proof.proof, prove(Side::kClient, token_, client_, worker_)))
      return Status::unavailable("the token is wrong");
    stage_ = Stage::kProved;
    return {};
  }
  return Status::invalid("a malformed greeting");
}

Status Admission::open() const {
  if (token_.empty() || stage_ == Stage::kProved) return {};
  if (stage_ == Stage::kChallenged) return Status::unavailable("no proof that the client knows the token");
  return Status::unavailable("this worker wants a token; set HIP_REMOTE_TOKEN or HIP_REMOTE_TOKEN_FILE");
}

}  // namespace hipr::access
