// Fuzzes both sides of the greeting: the first byte chooses which. Nobody gets in, or is believed, without the token.
#include <cstdlib>

#include "access/admit.h"
#include "access/challenge.h"
#include "net/socket_transport.h"
#include "tests/fuzz/fuzz.h"

using namespace hipr;

std::vector<fuzz::Input> fuzz::seeds() {
  std::vector<std::byte> client, worker;
  wire::appendFrame(client, wire::Opcode::kChallenge, 0, 0, wire::Challenge{});
  wire::appendFrame(client, wire::Opcode::kProof, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Proof{});
  wire::appendFrame(worker, wire::Opcode::kChallenge, 0, wire::HIP_REMOTE_FLAG_REPLY, wire::ChallengeReply{});
  std::vector<fuzz::Input> out{fuzz::input(client), fuzz::input(worker)};
  out[0].insert(out[0].begin(), 0);
  out[1].insert(out[1].begin(), 1);
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 64 << 10) return 0;
  const auto [peer, ours] = net::loopback();
  const net::Transport::Part bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  if (!bytes.empty() && !peer->send(bytes).ok()) std::abort();
  peer->finishSending();
  const std::string token = "nobody could guess this";
  wire::Header next;
  const Status status = data[0] & 1 ? access::present(*ours, token, {}, 1) : access::admit(*ours, token, 1, next);
  if (status.ok()) std::abort();
  return 0;
}
