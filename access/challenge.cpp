#include "access/challenge.h"

#include <sodium.h>

#include <string_view>

#include "access/frame.h"

namespace hipr::access {
namespace {

constexpr auto kChallenge = static_cast<std::uint16_t>(wire::Opcode::kChallenge);
constexpr auto kProof = static_cast<std::uint16_t>(wire::Opcode::kProof);
constexpr std::uint64_t kLimit = 64 << 10;  // a refusal may come instead, with its text

wire::Bits256 randomNumber() {
  wire::Bits256 out;
  randombytes_buf(out.data(), out.size());
  return out;
}

bool equal(const wire::Bits256& a, const wire::Bits256& b) {
  return sodium_memcmp(a.data(), b.data(), a.size()) == 0;  // in the same time wherever they differ
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
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, reinterpret_cast<const unsigned char*>(token.data()), token.size());
  crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(label.data()), label.size());
  crypto_auth_hmacsha256_update(&state, client.data(), client.size());
  crypto_auth_hmacsha256_update(&state, worker.data(), worker.size());
  wire::Bits256 out;
  crypto_auth_hmacsha256_final(&state, out.data());
  return out;
}

Status present(net::Socket& socket, const std::string& token, int timeoutSeconds) {
  if (token.empty()) return {};
  socket.setReceiveTimeout(timeoutSeconds);
  const wire::Challenge challenge{randomNumber()};
  wire::ChallengeReply reply;
  if (Status status = send(socket, wire::Opcode::kChallenge, 0, challenge); !status.ok()) return status;
  if (Status status = receive(socket, kChallenge, reply); !status.ok()) return status;
  if (!equal(reply.proof, prove(Side::kWorker, token, challenge.number, reply.number))) {
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
    if (!equal(proof.proof, prove(Side::kClient, token_, client_, worker_)))
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
