// DownloadLanes: pieces of downloads that come over further connections to the same session, lanes, where one
// connection does not fill the line or bulk data would delay small answers (lane_choice.h). It is the mirror image of
// lane_uploads.cpp. This side opens the lanes of both directions, and tells the worker which to use for downloads
// (wire::DownloadLanes). The session's own connection announces, in its order, which piece comes over which lane
// (wire::LaneData).
//
// A lane is not resumed. Whatever goes wrong on it ends it and nothing more: pieces that were announced for it and have
// not come are lost; the worker is told, and sends them over the session's own connection.
//
// Each lane has a thread, which takes in a piece as a whole before the memory that it is for is touched. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "client/lane_choice.h"
#include "net/packing.h"
#include "net/transport.h"
#include "wire/messages.h"

namespace hipr::client {

class DownloadLanes {
 public:
  // What becomes of each piece that was announced: one of the first two is called, by some thread. None of these waits.
  struct Calls {
    std::function<void(const wire::LaneData&, wire::Bytes, std::size_t travelled)> came;  // in so many bytes
    std::function<void(const wire::LaneData&)> lost;
    std::function<void(const wire::DownloadLanes&)> use;  // says it to the worker
  };
  explicit DownloadLanes(Calls calls) : calls_(std::move(calls)) {}
  ~DownloadLanes() { stop(); }

  // From now on there may be lanes. A lane that is silent for so long while something should come ends.
  void start(net::When when, OpenLane open, std::chrono::milliseconds patience);
  void stop();          // pieces are neither lost nor come from now on
  void closeInChild();  // after a fork, where the threads do not exist
  bool started() const { return started_.load(std::memory_order_relaxed); }

  // Of whoever reads the session's own connection.
  void resumed();                                            // nothing was on its way until now
  void arrived(std::uint64_t bytes, std::uint64_t waiting);  // over any connection, and so many are yet to come
  bool announced(const wire::LaneData& piece);               // false: it cannot be

  std::uint64_t lanesSoFar() const { return lanesSoFar_.load(std::memory_order_relaxed); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  // that lanes carried

 private:
  using Clock = LaneChoice::Clock;
  static constexpr std::uint64_t kLeast = 4 << 20, kLeastRelief = 256 << 10;  // bytes of a download

  struct DownloadLane {
    enum class State { kNone, kOpening, kOpen, kClosing, kOver };
    State state = State::kNone;
    std::uint32_t number = 0;
    Clock::duration roundTrip{};
    net::TransportPtr link;
    std::thread thread;
    std::deque<wire::LaneData> coming;
    net::Unpacker unpacker;  // this and the next: its thread's
    std::vector<std::byte> payload, unpacked;
  };

  void run(DownloadLane& lane);
  Status receive(DownloadLane& lane);                          // a piece
  Status fill(DownloadLane& lane, net::Transport::Room room);  // waits as long as that is reasonable
  bool expected(DownloadLane& lane, wire::LaneData& piece);    // waits until it is; false: it never will be
  bool isOpen(const DownloadLane& lane) const { return lane.state == DownloadLane::State::kOpen; }
  void begin();  // REQUIRES: mutex_, as for the next
  void say();    // which lanes there are

  const Calls calls_;
  OpenLane open_;
  std::chrono::milliseconds patience_{0};
  std::atomic<bool> started_{false};
  std::atomic<std::uint64_t> lanesSoFar_{0}, bytes_{0};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  LaneChoice choice_;
  std::array<DownloadLane, wire::kMostLanes> lanes_;
  std::uint32_t last_ = 0;      // the highest number so far
  std::size_t unanswered_ = 0;  // pieces
  bool stopped_ = false;
};

}  // namespace hipr::client
