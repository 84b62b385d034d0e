// RunningSessions: the sessions' processes as their supervisor sees them. It starts them, answers what they ask, hears
// when their clients are gone and sees to it that they end, too. Single-threaded; nothing here waits.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "access/identity.h"
#include "net/socket.h"
#include "types/platform.h"
#include "worker/compilers.h"
#include "worker/hand_over.h"
#include "worker/ledger.h"
#include "worker/options.h"
#include "worker/pace.h"
#include "worker/probe.h"
#include "worker/reception.h"
#include "worker/return.h"
#include "worker/session_counters.h"
#include "worker/session_homes.h"
#include "worker/shares.h"
#include "worker/tickets.h"

namespace hipr::worker {

class RunningSessions {
 public:
  RunningSessions(const Options& options, const ProbeResult& runtime, const SessionHomes& homes, SessionBoard& board,
                  std::vector<std::uint64_t> capacities);

  bool empty() const { return sessions_.empty(); }
  std::size_t size() const { return sessions_.size(); }
  bool full() const { return freeAccount() < 0; }
  // Another session, when `coming` more will have been started.
  bool hasRoomFor(const access::Identity& identity, std::ptrdiff_t coming) const;
  // Those of this worker that it may have.
  std::vector<std::int32_t> devicesOf(const access::Identity& identity) const;

  // REQUIRES: !full(). The guest's socket is taken only when all went well.
  Status start(Reception::Guest& guest);
  bool comeBack(Reception::Guest& guest);  // a client that was cut off; false: nobody waits for it
  // Another worker, with a ticket that one of the sessions has given out; false: it is not good.
  std::optional<tls::TokenKey> findTicket(const std::string& name) { return tickets_.find(name); }
  bool redeem(Reception::Guest& guest);
  // For one more guest than `waiting`: by a session that is leaving, whose client has said goodbye, or else by ending
  // one that waits for its client. False: there is none.
  bool makeRoom(std::size_t waiting);

  void watch(std::vector<pollfd>& entries) const;  // appends kEntries for each
  void attend(std::span<const pollfd> entries);    // as watch() made them, polled
  int patience() const;                            // milliseconds until something has to be done; -1: nothing
  void ended(pid_t process, int status);           // a child of this process; others are ignored
  void endAll();                                   // and waits until they have

  // hand_over.h
  void handOver(HandedState& state, Heritage& heritage) const;
  void inherit(const HandedState& state, Heritage& heritage);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kEntries = 4;

  struct Running {
    std::string peer;  // and who it is
    access::Identity identity;
    int account = 0;
    std::vector<std::int32_t> devices{};  // of ours, by its own numbers
    net::Socket socket{};                 // the client's: here it is only watched
    net::Socket control{}, door{};
    Pace pace{};            // of what comes through these
    net::Socket process{};  // pidfd of one that an earlier process of the supervisor's has started: no child of ours
    wire::Bits256 resumeKey{};
    bool waits = false;               // for its client, should that be cut off
    std::uint64_t clientProcess = 0;  // if it waits for one of this machine
    ProcessMark client{};
    std::optional<Clock::time_point> end{};  // its client is gone: by then the session has to be, too
    Clock::time_point nextLook{};            // at the client's process
    bool leaving() const { return end && !waits; }
  };

  // A bridge between a client that wants UCX and its session, which gets the other end as its client, and perhaps a
  // key.
  Status makeBridge(Reception::Guest& guest, int account, std::optional<wire::Bits256>& key);
  int freeAccount() const;  // -1 when all are taken
  std::uint64_t allowanceOf(const access::Identity& identity, int device) const;
  bool answer(const Running& session);  // what it asks; false: it has closed its end
  void watchOver(Running& session, std::span<const pollfd, kEntries> entries, pid_t process);
  void hearWait(Running& session);
  void cutOff(Running& session);
  void checkPeers();
  static void end(const Running& session, pid_t process);  // at once
  void close(std::map<pid_t, Running>::iterator session);

  const Options& options_;
  const ProbeResult& runtime_;
  Platform platform_;  // of it
  const SessionHomes& homes_;
  SessionBoard& board_;
  Ledger ledger_;
  Shares shares_;
  Tickets tickets_;
  Compilers compilers_;
  const pid_t supervisor_;
  std::map<pid_t, Running> sessions_;
  Clock::time_point nextCheck_{};  // of the clients' machines
};

}  // namespace hipr::worker
