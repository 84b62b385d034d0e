// Reception: connections of which nothing is known yet. They wait here, in the supervisor, until they have shown that
// they may come in (gate.h) and have said completely what they want. Until then a connection costs a descriptor and no
// process, and takes nobody's place. It has a limited time in all and may send only a few small frames of fixed kinds;
// when there are too many connections, those that have waited longest make room. Nothing here waits; for a
// single-threaded poll loop.
#pragma once

#include <poll.h>

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "access/admission.h"
#include "base/log_limit.h"
#include "net/socket.h"
#include "platform/shared_memory.h"
#include "worker/gate.h"
#include "worker/shielded_visit.h"

namespace hipr::worker {

// kForNow: trying again later may help.
enum class Refusal { kForGood, kForNow };

class Reception {
 public:
  struct Limits {
    std::chrono::milliseconds greeting{10'000};  // until a connection has said what it wants
    std::chrono::milliseconds leaving{2'000};    // for one that was refused to take in why
    std::size_t most = 1024, mostPerAddress = 256;
  };
  struct Guest {
    net::Socket socket;  // what it has said is unread: a whole Hello or SmiOpen
    std::string peer;
    bool telemetry = false;
    std::optional<tls::Shield> shield;  // the connection is protected
    access::Identity identity;
    platform::SharedMemory memory{};      // what it shares with its session; its first message comes there
    std::optional<wire::Bits256> back{};  // a session's key. Its client was cut off (its Resume is unread),
    std::uint32_t lane = 0;               // or brings this lane (its Join is unread)
    bool ucx = false;                     // it wants to go on over UCX. A Ucx is unread, then
    // No client but another worker, with what this names. A Parcel is unread, then.
    std::optional<std::string> ticket{};
  };

  explicit Reception(Gate& gate) : Reception(gate, Limits{}) {}
  Reception(Gate& gate, Limits limits) : gate_(gate), limits_(limits) {}

  void setUcx(bool ucx) { ucx_ = ucx; }                                // clients may come over it
  void setNearName(std::string name) { nearName_ = std::move(name); }  // of the unix socket for clients of this machine

  void arrive(net::Socket socket);
  void turnAway(Guest guest, const std::string& why, Refusal kind = Refusal::kForGood);  // in words
  bool dropOldest();  // when descriptors run out; false when nobody is here
  bool empty() const { return visitors_.empty(); }

  void watch(std::vector<pollfd>& entries) const;  // appends one entry for each
  int patience() const;                            // milliseconds until somebody's time is up; -1: nobody is here
  // REQUIRES: entries as watch() made them, polled; nobody has come or gone since.
  std::vector<Guest> attend(std::span<const pollfd> entries);

 private:
  using Clock = std::chrono::steady_clock;
  struct Visitor {
    net::Socket socket;
    std::string peer, address;
    access::Admission admission;
    Clock::time_point end;
    std::unique_ptr<ShieldedVisit> shielded = nullptr;  // it speaks TLS
    std::optional<std::string> ticket{};                // what has made the connection, if one has
    bool leaving = false;                               // has been refused
    int heard = 0;                                      // frames, or records of TLS, that it has been heard out for
    std::size_t ignored = 0;                            // bytes since it was refused
    int wanted = 0;                                     // bytes it must have sent before we look again
    Clock::time_point nextLook{};                       // where the system does not wait for so many
  };
  enum class Next { kStay, kGo, kServe };

  Next look(Visitor& visitor, Guest& guest);
  Next lookAtFrames(Visitor& visitor, Guest& guest);
  Next lookAtRecords(Visitor& visitor, Guest& guest);
  Status judge(const Visitor& visitor, const wire::Header& header) const;
  bool answerNearby(const Visitor& visitor, std::span<const std::byte> payload);  // false: malformed
  Next share(Visitor& visitor, const wire::Header& header, Guest& guest);
  Next serve(Visitor& visitor, std::span<const std::byte> frame, std::optional<tls::Shield> shield, Guest& guest);
  Next refuse(Visitor& visitor, const std::string& why);
  Next refuse(Visitor& visitor, const std::string& why, std::span<const std::byte> words);
  static Next await(Visitor& visitor, int bytes);
  void makeRoom(const std::string& address);

  Gate& gate_;
  const Limits limits_;
  std::string nearName_;
  bool ucx_ = false;
  std::list<Visitor> visitors_;  // in the order of their arrival
  LogLimit refusals_{50, std::chrono::seconds(2)};
};

// What tells a client, in words, that it is not served.
std::vector<std::byte> refusal(const std::string& why, Refusal kind = Refusal::kForGood);

}  // namespace hipr::worker
