// How both sides of a new connection prove that they know the token, before anything else is said. Each side picks a
// random number; the proof is a keyed hash (HMAC-SHA-256) of both numbers. A listener learns nothing that opens another
// connection, and a stranger who poses as the worker is found out before the program's data go there.
//
//   client                          worker
//     Challenge{client's number}  →
//                                 ←  ChallengeReply{worker's number, worker's proof}
//     Proof{client's proof}, Hello or SmiOpen  →
//
// It does not hide what follows: on a network that others can read or write, tunnel the connection.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "net/socket.h"
#include "wire/frame.h"
#include "wire/messages.h"

namespace hipr::access {

enum class Side { kClient, kWorker };

wire::Bits256 prove(Side side, const std::string& token, const wire::Bits256& client, const wire::Bits256& worker);

// The client's part, one round trip. Does nothing when `token` is empty.
Status present(net::Socket& socket, const std::string& token, int timeoutSeconds);

// The worker's part, one frame at a time, for whoever reads them. A failure is a sentence for the client, who has not
// been told yet.
class Admission {
 public:
  static constexpr std::uint64_t kMaxPayload = 64;

  explicit Admission(std::string token) : token_(std::move(token)) {}

  // The frame is about the token: it is for take(), and the next one will be looked at again.
  static bool concerns(const wire::Header& header);
  Status take(const wire::Header& header, std::span<const std::byte> payload, std::vector<std::byte>& reply);

  // Somebody says something else: ok() when there is nothing left to prove.
  Status open() const;

 private:
  const std::string token_;
  wire::Bits256 client_{}, worker_{};
  enum class Stage { kNew, kChallenged, kProved } stage_ = Stage::kNew;
};

}  // namespace hipr::access
