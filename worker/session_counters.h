// Counters of what the sessions of this worker do. Each seat, a session's place, has a page of memory, which the
// session writes and the supervisor and the telemetry service read. The session can write anything there, so what is
// read is not trusted. Sessions count without locks. When a session has ended, however it ended, the supervisor adds
// its counts to those of past sessions. Thread- and process-safe.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/quotas.h"

namespace hipr::worker {

// Messages by their row in wire/messages.def.
inline constexpr std::size_t kMessageKinds = 0
#define MESSAGE(number, Name, verb) +1
#include "wire/messages.def"
    ;
std::size_t messageKind(std::uint16_t opcode);  // kMessageKinds when unknown
const char* messageKindName(std::size_t kind);

struct SessionCounters {
  using Count = std::atomic<std::uint64_t>;

  Count requests[kMessageKinds];
  Count bytesReceived, bytesSent;
  Count bytesKnown, bytesKept;  // of uploads: named by the client and found here; kept for the next time
  Count roundTrips;             // answers somebody waited for
  Count errors;                 // failures reported to the client
  Count issued, finished;       // operations of all streams; what lies between is the queue
  Count memoryBytes;            // device memory mapped now
  Count used[kQuotas], limit[kQuotas], refusals[kQuotas];  // by kind (quotas.h); what was refused because of a limit

  void received(std::uint16_t opcode, std::uint64_t bytes);  // of one thread at a time
  void sent(std::uint64_t bytes) { bytesSent.fetch_add(bytes, std::memory_order_relaxed); }
  static SessionCounters& nobody();  // counts for nothing
  static void add(Count& count, std::uint64_t n = 1) { count.fetch_add(n, std::memory_order_relaxed); }
  // Where one thread at a time counts. Processors lock nothing for it.
  static void addAlone(Count& count, std::uint64_t n = 1) {
    count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

// What a session tells of itself.
struct SessionPage {
  SessionCounters counters;
  std::atomic<bool> introduced;  // the texts are there
  char client[160], program[96];

  void introduce(const std::string& client, const std::string& program);  // the first time only
  static SessionPage* map(int descriptor);  // in the session's process; null when it cannot be had
};

class SessionBoard {
 public:
  // The memory of a board, for another process to see what is on it.
  struct Files {
    int summary = -1;
    std::vector<int> pages;  // by seat
  };
  explicit SessionBoard(int seats);
  explicit SessionBoard(const Files& files);  // only to look at; the descriptors become its own
  ~SessionBoard();
  SessionBoard(const SessionBoard&) = delete;
  SessionBoard& operator=(const SessionBoard&) = delete;

  // --- the supervisor's
  int descriptor(int seat) const { return seats_[static_cast<std::size_t>(seat)].descriptor; }  // for SessionPage::map
  void sit(int seat, pid_t process, const std::string& identity = "");                          // access/identity.h
  void leave(int seat);                                                                         // the process has ended
  Files files() const;
  SessionPage& page(int seat) { return *seats_[static_cast<std::size_t>(seat)].page; }

  // --- anybody's
  struct Sitter {
    std::uint64_t process = 0;    // 0: the seat is free
    std::string identity;         // as the supervisor knows it
    std::string client, program;  // as the session says
  };
  int seats() const { return static_cast<int>(seats_.size()); }
  Sitter sitter(int seat) const;
  const SessionCounters& counters(int seat) const { return seats_[static_cast<std::size_t>(seat)].page->counters; }
  const SessionCounters& past() const;  // of all sessions that have ended
  std::uint64_t sessionsStarted() const;

 private:
  struct Summary;
  struct Seat {
    int descriptor = -1;
    SessionPage* page = nullptr;
  };

  std::size_t summarySize() const;

  std::vector<Seat> seats_;
  int summaryFile_ = -1;
  Summary* summary_ = nullptr;  // the supervisor's part, which nobody else can write
};

}  // namespace hipr::worker
