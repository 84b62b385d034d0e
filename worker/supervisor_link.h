// What a session can ask of its supervisor, over a socket of its own: device memory (credit.h), memory that sessions
// share (shares.h), a compiler (compile_process.h), connections with other workers (tickets.h, peers.h). Question and
// answer may each carry a descriptor.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "net/socket.h"
#include "wire/messages.h"
#include "worker/pass_descriptor.h"

namespace hipr::worker {

enum class Wish : std::uint32_t {
  kAvailable = 1,
  kGrant = 2,
  kWelcome = 3,
  kGiveBack = 4,
  kKeep = 5,
  kFetch = 6,
  kDrop = 7,
  kCompile = 8,
  kInvite = 9,
  kConnect = 10
};

// Both sides are the same program, so plain structs travel. What a session sends is foreign all the same.
struct Question {
  Wish wish{};
  std::int32_t device = 0;
  std::uint64_t bytes = 0, most = 0;
  wire::Secret secret{};
  std::array<char, 64> worker{};  // an address and a port, and a zero behind them
};
struct Answer {
  std::uint64_t value = 0;  // 0: no
  wire::Secret secret{};
  wire::Bits256 ticket{};
};

// The session's end. Thread-safe.
class SupervisorLink {
 public:
  explicit SupervisorLink(net::Socket supervisor) : supervisor_(std::move(supervisor)) {}
  Answer ask(const Question& question, int give = -1, Descriptor* got = nullptr);

 private:
  std::mutex mutex_;
  net::Socket supervisor_;
};

// The supervisor's end. Neither waits.
enum class Heard { kQuestion, kNothing, kEnd };
Heard hear(const net::Socket& session, Question& question, Descriptor& given);  // nonsense is a wish for nothing
void tell(const net::Socket& session, const Answer& answer, int give = -1);

}  // namespace hipr::worker
