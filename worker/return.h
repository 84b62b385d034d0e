// How a client comes back to its session after a cut. The supervisor receives it, as it does everybody, and passes its
// new connection on; the session tells the supervisor beforehand that it would wait for its client, and who that is.
// Lanes of a session (data_lanes.h) come in by the same door.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "net/channel.h"
#include "net/socket.h"

namespace hipr::worker {

// What a session says to its supervisor.
struct Wait {
  std::uint64_t process = 0;  // the client's, if it is one of this machine; 0: unknown
  bool over = false;          // the client has said goodbye: it will not come back
};

// The session's side.
class ReturnDoor {
 public:
  ReturnDoor(net::Socket supervisor, int ioTimeoutSeconds)
      : supervisor_(std::move(supervisor)), ioTimeout_(ioTimeoutSeconds) {}

  using Joined = std::function<void(std::uint32_t lane, net::TransportPtr link)>;
  // From now on a cut is not the end. REQUIRES: the channel lives as long as the process.
  void open(net::Channel& channel, std::uint64_t process, Joined joined);
  void close();  // the client has left

 private:
  void attend(net::Channel& channel);
  static Status takeBack(net::Channel& channel, net::TransportPtr link);
  Status takeLane(std::uint32_t lane, net::TransportPtr link) const;

  net::Socket supervisor_;
  const int ioTimeout_;
  Joined joined_;
  bool opened_ = false;
};

// The supervisor's side, besides passSocket(). Does not wait.
bool takeWait(const net::Socket& session, Wait& wait);

// A process of this machine, told apart from a later one of the same number.
class ProcessMark {
 public:
  ProcessMark() = default;
  explicit ProcessMark(std::uint64_t process);  // 0 or one that cannot be seen: unknown
  bool ended() const;                           // false when unknown
  bool known() const { return started_ != 0; }

 private:
  std::uint64_t process_ = 0, started_ = 0;
};

}  // namespace hipr::worker
