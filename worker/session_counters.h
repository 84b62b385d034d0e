// What the sessions of this worker do, in numbers: one seat per session in memory shared by the supervisor, the
// sessions and the telemetry service. Sessions count without locks; the supervisor adds a session that has ended,
// however it ended, to what past sessions did. Thread- and process-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

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
  Count roundTrips;        // answers somebody waited for
  Count errors;            // failures reported to the client
  Count issued, finished;  // operations of all streams; what lies between is the queue
  Count memoryBytes;       // device memory mapped now

  void received(std::uint16_t opcode, std::uint64_t bytes);
  void sent(std::uint64_t bytes) { bytesSent.fetch_add(bytes, std::memory_order_relaxed); }
  static SessionCounters& nobody();  // counts for nothing
  static void add(Count& count, std::uint64_t n = 1) { count.fetch_add(n, std::memory_order_relaxed); }
};

class SessionBoard {
 public:
  explicit SessionBoard(int seats);
  ~SessionBoard();
  SessionBoard(const SessionBoard&) = delete;
  SessionBoard& operator=(const SessionBoard&) = delete;

  // --- the session's
  SessionCounters& sit(int seat);                                                   // the process is a session
  void introduce(int seat, const std::string& client, const std::string& program);  // once it knows who its client is

  // --- the supervisor's
  void leave(int seat);  // the process has ended

  // --- anybody's
  struct Sitter {
    std::uint64_t process = 0;  // 0: the seat is free
    std::string client, program;
  };
  int seats() const { return seats_; }
  Sitter sitter(int seat) const;
  const SessionCounters& counters(int seat) const;
  const SessionCounters& past() const;  // of all sessions that have ended
  std::uint64_t sessionsStarted() const;

 private:
  struct Seat;
  struct Shared;
  Seat& at(int seat) const;

  const int seats_;
  std::size_t size_ = 0;
  Shared* shared_ = nullptr;
};

}  // namespace hipr::worker
