// Pieces of downloads that go over lanes (data_lanes.h) where the client has asked for it (wire::DownloadLanes): the
// mirror image of uploads over lanes. A piece is announced on the session's own connection, in its place among the
// pieces of its download, and its block is kept until the client has said that it came. Pieces that a lane loses go
// over the session's own connection, which is resumed.
//
// An announced piece has not arrived yet. So before anybody tells the client something that implies a download, it
// waits for awaitArrival().
//
// Thread-safe. take(), awaitArrival() and abandon() may wait for the client: the thread that reads the client's answers
// must not call them.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "net/transport.h"
#include "wire/messages.h"
#include "worker/outbox.h"
#include "worker/packed_data.h"
#include "worker/staging.h"

namespace hipr::worker {

class LaneDownloads {
 public:
  // `most`: bytes of pinned memory that the session may have; what is kept here leaves others half of it.
  LaneDownloads(Outbox& outbox, DownloadPacking& packing, std::uint64_t most)
      : outbox_(outbox), packing_(packing), most_(std::min(kMostBytes, most / 2)) {}
  ~LaneDownloads() { stop(); }

  // These lanes and no others, by number, for downloads of so many bytes. The others send what they have, and end.
  using Links = std::map<std::uint32_t, std::shared_ptr<net::Transport>>;
  void use(const Links& links, std::uint64_t least, bool all);
  bool wants(std::uint64_t bytes) const { return bytes >= least_.load(std::memory_order_relaxed); }  // such a download

  // The next piece of a download. False: it is for the session's own connection.
  bool take(std::uint64_t transfer, std::uint64_t offset, Staging::Block block, std::uint64_t size);
  bool answered(const wire::NamedDataAnswer& answer);  // by the client. False: to no question
  bool arrived(std::uint64_t transfer);                // all of it that was taken here
  bool allAnswered(std::uint64_t transfer);            // awaitArrival() would not wait for the client
  void awaitArrival(std::uint64_t transfer);           // and sends what was lost
  void abandon(std::uint64_t transfer);                // its download has failed: nothing of it is sent from now on
  void stop();                                         // waits for nobody from now on

 private:
  static constexpr std::size_t kAhead = 2;  // pieces of a lane behind the one that its connection is taking
  static constexpr std::uint64_t kMostBytes = 64 << 20;  // that the client has not answered for

  using Place = std::pair<std::uint64_t, std::uint64_t>;  // transfer, offset
  struct Piece {
    Staging::Block block;
    std::uint64_t size = 0;
    enum class State { kOut, kLost, kSending } state = State::kOut;  // kSending: once more
    bool wanted = true;
  };
  using Pieces = std::map<Place, Piece>;

  struct Sender {
    Sender(std::uint32_t n, std::shared_ptr<net::Transport> l) : number(n), link(std::move(l)) {}
    const std::uint32_t number;
    const std::shared_ptr<net::Transport> link;
    std::thread thread{};
    std::deque<std::pair<Place, Piece>> queue{};  // guarded by mutex_, as are the next
    bool retired = false;                         // nothing more for it
    bool over = false;
  };

  void serve(Sender& sender);
  bool next(Sender& sender, std::pair<Place, Piece>& piece);  // waits for it; false: there will be none
  // --- REQUIRES: mutex_
  Sender* idlest();  // null: there is none
  void sweep();
  bool none(std::uint64_t transfer) const;
  Pieces::iterator find(std::uint64_t transfer, Piece::State state);
  void erase(Pieces::iterator piece);
  // A piece of it, over the session's own connection. False: there is none.
  bool sendLost(std::uint64_t transfer, std::unique_lock<std::mutex>& lock);

  Outbox& outbox_;
  DownloadPacking& packing_;
  const std::uint64_t most_;  // bytes of pieces_
  std::atomic<std::uint64_t> least_{UINT64_MAX};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::list<Sender> senders_;
  Pieces pieces_;  // that were announced and have not come, as far as is known
  std::uint64_t bytes_ = 0;
  std::size_t lost_ = 0;  // of pieces_: in kLost
  bool all_ = false, stopped_ = false;
};

}  // namespace hipr::worker
