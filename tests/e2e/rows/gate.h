// Gate: stands on loopback between a client library and its worker, passes on every message, counts those of the
// client, and can hold back everything that comes from the worker.
//
// A call that returns while the gate is shut has waited for nothing; one that does not return is let go one answer at a
// time, which counts its waits. This is what the network sees, so it does not rest on the library's own counters, and
// a fast worker cannot have finished before the call looks. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "wire/frame.h"

namespace hipr::rows {

class Gate {
 public:
  explicit Gate(int workerPort);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  int port() const { return port_; }

  void shut();
  void open();
  void letAnswerPass();  // the next one, and all that comes before it; shut again behind it
  bool letting() const;

  // Messages of the client that want an answer, and how many of them have one.
  std::uint64_t asked() const;
  bool allAnswered() const;

  // Messages are delivered some time after the call that sends them, so a count needs a message that says where it
  // begins or ends: any that holds the eight bytes of kMark.
  static constexpr std::uint64_t kMark = 0xa5c3e7;  // a heap size; like no address or number that travels
  // Waits for the n-th mark since the start; the number of messages before it.
  std::uint64_t messagesBeforeMark(std::size_t n) const;
  std::size_t marks() const;

 private:
  struct Connection {
    int client = -1, worker = -1;
    bool over = false;
    std::thread up, down;
  };

  void accept();
  void carryUp(Connection& c);
  void carryDown(Connection& c);
  void end(Connection& c);
  void count(const wire::Header& header, const std::vector<std::byte>& payload);
  bool pass(const Connection& c, const wire::Header& header);  // false when the connection is over

  const int workerPort_;
  int listener_ = -1, port_ = 0;
  std::thread acceptor_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::list<Connection> connections_;
  bool shut_ = false, letting_ = false;
  std::uint64_t sent_ = 0, asked_ = 0, outstanding_ = 0;
  std::vector<std::uint64_t> marks_;
};

}  // namespace hipr::rows
