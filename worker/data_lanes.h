// Data lanes: connections besides the session's own, over which pieces of uploads come where one connection cannot fill
// the line. The session's own connection announces, in its order, which piece comes over which lane (wire::LaneData). A
// lane carries those pieces, in the order in which they were announced, and nothing else. So the session's own
// connection keeps the order, and a piece goes to its place whenever it comes. In the other direction lanes carry
// pieces of downloads (lane_downloads.h).
//
// A lane is not resumed. Whatever goes wrong on it ends it and nothing more: the pieces that have not come are lost,
// the client is told, and sends them over the session's own connection, which is resumed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "net/packing.h"
#include "net/transport.h"
#include "worker/frame_reader.h"
#include "worker/staging.h"

namespace hipr::worker {

class Upload;

struct LanePiece {
  std::shared_ptr<Upload> upload;
  std::uint64_t transfer = 0, offset = 0, size = 0;
};

// Thread-safe.
class DataLanes {
 public:
  // What becomes of a piece; one of the two is called for each, by some thread. `block` may be null: there was no
  // memory for it.
  struct Calls {
    std::function<void(const LanePiece&, Staging::Block block, bool keep)> arrived;
    std::function<void(const LanePiece&)> lost;
  };
  DataLanes(Staging& staging, Calls calls) : staging_(staging), calls_(std::move(calls)) {}
  ~DataLanes() { stop(); }

  // A client comes with a connection: it is served, or refused.
  void join(std::uint32_t number, net::TransportPtr link);
  // The next piece of that lane. False: there has never been such a lane.
  bool announce(std::uint32_t number, LanePiece piece);
  // To send over it, while this receives. False: there has never been such a lane. Null: it has ended.
  bool find(std::uint32_t number, std::shared_ptr<net::Transport>& link);
  void stop();  // ends all; pieces are neither lost nor arrive from now on

 private:
  struct DataLane {
    DataLane(std::uint32_t n, net::TransportPtr l) : number(n), link(std::move(l)), reader(*link) {}
    const std::uint32_t number;
    const std::shared_ptr<net::Transport> link;
    FrameReader reader;
    net::Unpacker unpacker{};
    std::thread thread{};
    std::deque<LanePiece> coming{};  // guarded by mutex_, as is the next
    bool ended = false;
  };

  void serve(DataLane& lane);
  Status receive(DataLane& lane);
  bool expected(DataLane& lane, LanePiece& piece);  // waits until it is; false: it never will be
  void sweep();                                     // forgets those that have ended. REQUIRES: mutex_

  Staging& staging_;
  const Calls calls_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::list<DataLane> lanes_;
  std::uint32_t last_ = 0;  // the highest number so far
  bool stopped_ = false;
};

}  // namespace hipr::worker
