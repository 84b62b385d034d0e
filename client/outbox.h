// Outbox: everything on its way to the worker.
//
// Small messages are appended to one buffer in call order; a writer thread sends the buffer as soon as the channel is
// free. Posting therefore makes no system call unless the writer is asleep. A caller that is about to wait for an
// answer sends the buffer itself, which saves a thread switch. Bulk data waits in a list of uploads and goes out in
// pieces when no small message is waiting, so it never delays one.
//
// The worker may know large uploads by their content (naming.h, named_uploads.cpp). Then a piece, a block of 1 MiB, is
// named; its bytes are sent only if the worker says that it does not have them. Until the worker has answered, the
// bytes must be kept: in the program's memory, or in a copy if the call that made the upload returns before. Bytes that
// have to be sent may be packed (net/packing_choice.h). Helpers pack some blocks ahead, so that the line never idles
// while the sender waits for packing.
//
// Where one connection cannot fill the line, pieces of uploads go over several. Where a piece takes long, pieces and
// small messages use different connections (lane_choice.h, lane_uploads.cpp).
//
// Waking the writer costs more than sending. A program that posts a little and then waits sends everything itself
// before the writer could. If it did so the last few times, the writer is not woken for the next message but takes a
// nap. If the program does not wait this time, its messages leave at the end of the nap (kNap), once.
//
// Thread-safe. After fail() everything is accepted and dropped.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/prefetch.h"
#include "client/bulk_upload.h"
#include "client/helpers.h"
#include "client/lane_choice.h"
#include "client/naming.h"
#include "net/channel.h"
#include "net/link_speed.h"
#include "net/packing.h"
#include "net/packing_choice.h"
#include "wire/frame.h"
#include "wire/messages.h"

namespace hipr::client {

class Outbox {
 public:
  // onStall: bulk data has to wait for a word of the worker, so somebody must read.
  Outbox(net::Channel& channel, std::function<void(Status)> onFailure, std::function<void()> onStall);
  // From now on blocks may be named, by this.
  using NameOf = std::function<wire::Bits256(wire::Bytes)>;
  void nameBlocks(net::When mode, NameOf nameOf);
  void packBlocks(net::When mode);  // from now on they may be packed
  // Null: it is sent as it is. Code comes before anything is known of the line, so this is done unless it does not pay.
  OwnBytes packCode(wire::Bytes code);
  // From now on there may be lanes, opened by this.
  void useLanes(net::When when, OpenLane open);
  void closeLanesInChild();  // after a fork, where the threads do not exist
  ~Outbox();
  void start();  // the writer thread
  bool started() const { return writer_.joinable(); }
  void stop();  // sends what is queued, then ends the writer

  // Appends one message; `under` runs under the lock that orders messages. `urgent`: the caller will flush() itself.
  template <class Message, class Under>
  void append(wire::Opcode opcode, std::uint32_t request, std::uint32_t flags, const Message& message, bool urgent,
              Under&& under) {
    {
      std::unique_lock lock(mutex_);
      if (control_.size() > kMaxQueued) waitForRoom(lock);
      put(opcode, request, flags, message);
      under();
      if (!pending_.load(std::memory_order_relaxed)) pending_.store(true, std::memory_order_relaxed);
      prefetchToWrite(control_.data() + control_.size(), kNextMessage);
    }
    if (!urgent && asleep_.load()) wake();
  }

  // The same without ever waiting, for small messages of which few can be unsent. False: there are too many, which a
  // worker that keeps to the protocol cannot bring about.
  template <class Message>
  bool say(wire::Opcode opcode, const Message& message) {
    {
      std::lock_guard lock(mutex_);
      if (said_ >= kMostSaid) return false;
      ++said_;
      put(opcode, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, message);
      pending_ = true;
    }
    if (asleep_.load()) wake();
    return true;
  }

  void ping();  // asks the worker for a sign of life; never waits. Without room it has enough to answer
  void acknowledge(std::uint64_t received);    // never waits. Without room it is said another time
  void enqueue(BulkUploadPtr upload);          // REQUIRES: called from `under` of the append of its Upload message
  void letGo(BulkUpload& upload);              // its memory may be read now, whether it is queued yet or not
  void waitSent(const BulkUploadPtr& upload);  // returns when the source memory may change
  bool uploading();                            // memory is still being read for calls that have returned
  bool stalled();                              // until the worker opens a transfer, or says what it has
  void open(std::uint64_t transfer);           // the worker pushed TransferOpen
  void acknowledged(std::uint64_t position);   // the worker has so much, and the channel keeps less than before
  bool answered(const wire::NamedDataAnswer& answer);  // false: to no question
  // Sends small messages now, from this thread, and uploads of as little as this, unless somebody is sending already.
  void flush();
  static constexpr std::size_t kLittleBulk = 2 << 20;
  // flush(), with an upload that should leave by it. Meanwhile `other` is done, if possible by another thread, which
  // then copies what the connection may lose of the upload.
  void flushBeside(const BulkUploadPtr& upload, const std::function<void()>& other);

  // Of a process whose other threads have been ended: what is queued, and a goodbye, so that the session need not wait
  // for this client to come back. Only the goodbye if one of them was about to send a little, and nothing if it was
  // more: half a message may be out.
  void sayGoodbyeAlone();

  void fail();  // nothing is sent any more
  void rest();  // the same, and when it returns nothing is read any more either
  std::uint64_t bytesSent() const {
    return bytesSent_.load(std::memory_order_relaxed) + laneBytes_.load(std::memory_order_relaxed);
  }
  std::uint64_t lanesSoFar() const { return lanesSoFar_.load(std::memory_order_relaxed); }
  std::uint64_t laneBytes() const { return laneBytes_.load(std::memory_order_relaxed); }      // of bytesSent()
  std::uint64_t bytesPacked() const { return bytesPacked_.load(std::memory_order_relaxed); }  // before they were

 private:
  static constexpr std::size_t kMaxQueued = 8 << 20;
  static constexpr std::size_t kAtOnce = 4 << 10;  // a socket that has room takes all of it
  static constexpr int kIdleSpins = 400;
  // What the next message may take: it is written under a lock, and the writer's processor may still have the memory.
  static constexpr std::size_t kNextMessage = 384;
  // Bytes the worker has not acknowledged: somebody should read what it says, and then: no more bulk data.
  static constexpr std::uint64_t kMuch = 8 << 20, kTooMuch = 64 << 20;
  static constexpr std::chrono::microseconds kNap{200}, kSoon{50}, kFirstGather{1}, kLongestGather{6};
  static constexpr int kHabit = 4;  // flushes in a row that came soon enough to rely on the next one
  static constexpr int kNaps = 10;  // without anything new, before the writer falls asleep
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kBlock = wire::kMaxDataChunk;  // what may be named, from the beginning of an upload on
  static constexpr std::size_t kLeastNamed = 64 << 10;        // but not the end of one, if it is that small
  static constexpr std::size_t kAhead = 8;                    // blocks that are named before it is their turn
  static constexpr std::size_t kPackedAhead = 4;              // or packed
  static constexpr std::uint64_t kMostUnanswered = 64 << 20;
  static constexpr std::uint64_t kMostUnmeasured = 4 << 20;  // on the way while nothing is known of the line
  static constexpr std::size_t kMostSaid = 4 * wire::kMostUnanswered;
  static constexpr std::size_t kLeastForLanes = 4 << 20;  // of one upload
  static constexpr std::size_t kLeastRelief = 256 << 10;  // the same, where lanes carry all

  struct Piece {
    BulkUploadPtr upload{};
    std::size_t offset = 0, size = 0;
    enum class Kind { kData, kKept, kNamed, kWanted } kind = Kind::kData;
    wire::Bits256 name{};  // of kNamed
    OwnBytes copy{};       // of kWanted, if there is one
    OwnBytes packed{};     // what is sent instead
  };
  enum class Work { kNone, kControl, kPiece };  // kPiece: small messages before it

  // A piece as it travels. REQUIRES: the piece, and `rows`, last as long.
  class DataFrame {
   public:
    DataFrame(const Piece& piece, std::vector<std::byte>& rows);
    net::Transport::Part head() const { return {room_, headSize_}; }
    net::Transport::Part bytes() const { return bytes_; }

   private:
    std::byte room_[wire::kHeaderSize + wire::kPackedDataPrefix];
    std::size_t headSize_ = 0;
    wire::Bytes bytes_;
  };

  // A piece that was named, or goes over a lane, until its bytes are not needed any more.
  struct Named {
    BulkUploadPtr upload;
    std::size_t size = 0;
    std::uint32_t lane = 0;
    OwnBytes copy{}, packed{};
    bool wanted = false;
  };
  using Place = std::pair<std::uint64_t, std::uint64_t>;  // transfer, offset

  void run();
  void wake();
  void gather();
  bool idle();  // false when the writer should end
  void waitForRoom(std::unique_lock<std::mutex>& lock);
  Work take(std::size_t mostBulk, Piece& piece);  // REQUIRES: sending_ held, as for the next two
  void send(Work work, Piece& piece);
  void sendControl();
  void sendPiece(const Piece& piece);
  void sendData(const Piece& piece);
  void sendNamed(const Piece& piece);
  void sendWanted(const Piece& piece);
  void handedOver(const Piece& piece);  // a connection has got it
  void takeOut(const Piece& piece);     // of its upload. REQUIRES: mutex_ held, as for the next two
  void finish(const BulkUploadPtr& upload);
  bool nothingLeft() const;  // that the writer could send
  void wakeWriter();
  void goOn();  // what was stalled
  // --- named_uploads.cpp. REQUIRES: mutex_ held, but for the last
  bool inBlocks(const BulkUpload& upload) const { return mayBeNamed(upload) || !packing_.off(); }
  bool mayBeNamed(const BulkUpload& upload) const;
  bool kept(const BulkUpload& upload, std::size_t size) const;  // by the worker, if it likes
  void decide(const BulkUploadPtr& upload);                     // about its next blocks
  bool prepare(const BulkUploadPtr& upload, Piece& piece);      // says how it is sent; false: not yet
  void want(const Place& place, const Named& named);            // the worker does not have it
  bool takeWanted(Piece& piece);
  void settle(std::map<Place, Named>::iterator named);  // nobody will ask for it any more
  bool needsMemory(const BulkUpload& upload) const;     // of the program, for what may be wanted
  void makeName(const BulkUploadPtr& upload, std::size_t block);
  // --- packed_uploads.cpp: in a helper
  void packBlock(const BulkUploadPtr& upload, std::size_t block);
  void packWanted(const BulkUploadPtr& upload, std::size_t offset, const OwnBytes& copy);
  OwnBytes pack(wire::Bytes bytes);  // null: it stays large
  // Around what reads the program's memory; false: nobody needs it any more
  bool beginReading(BulkUpload& upload);
  void addReader(BulkUpload& upload);  // REQUIRES: mutex_ held, as for the next
  void endReading(BulkUpload& upload);
  // --- lane_uploads.cpp. REQUIRES, for the first four: mutex_ held
  void measure(std::uint64_t arrived);  // the worker has so much more: how many lanes should there be?
  void beginLane();
  bool isForLane(const BulkUploadPtr& upload);             // its next piece is, as soon as there is one
  bool takeForLane(const UploadLane& lane, Piece& piece);  // false: there is nothing for it now
  bool awaitForLane(UploadLane& lane, Piece& piece);       // false: it ends
  void copyForLater(const Piece& piece);
  Status sendOverLane(UploadLane& lane, const Piece& piece);
  void runLane(UploadLane& lane);
  void lineMeasured();  // tells those who decide by it. REQUIRES: mutex_ held, as for the next
  template <class Message>
  void put(wire::Opcode opcode, std::uint32_t request, std::uint32_t flags, const Message& message) {
    if (control_.empty()) firstQueued_ = Clock::now();
    const std::size_t start = control_.size();
    control_.extend(wire::kHeaderSize);
    wire::BasicWriter<wire::Buffer>(control_).put(message);
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(opcode),
                        .request = request,
                        .flags = flags,
                        .length = control_.size() - start - wire::kHeaderSize},
                       control_.data() + start);
  }
  template <class Message>
  void sayIfRoom(wire::Opcode opcode, std::uint32_t flags, const Message& message);

  net::Channel& channel_;
  std::function<void(Status)> onFailure_;
  std::function<void()> onStall_;

  std::mutex mutex_;  // guards what follows
  wire::Buffer control_;
  std::size_t said_ = 0;  // messages in it that nobody waited for
  std::list<BulkUploadPtr> uploads_;
  std::map<std::uint64_t, std::uint64_t> unopened_;  // transfer → bytes sent before the worker opened it
  std::uint64_t unopenedBytes_ = 0;
  bool stalled_ = false;
  Naming naming_;
  NameOf nameOf_;
  net::LinkSpeed speed_;
  net::PackingChoice packing_;
  std::map<Place, Named> named_;
  std::uint64_t unansweredBytes_ = 0;
  std::deque<Place> wanted_;
  LaneChoice laneChoice_;
  OpenLane openLane_;
  std::array<UploadLane, wire::kMostLanes> lanes_;
  std::uint64_t acknowledged_ = 0;   // bytes of the channel
  int readers_ = 0;                  // of all uploads together
  Clock::time_point firstQueued_{};  // what has waited longest in control_
  int habit_ = 0;                    // flushes in a row that left the writer nothing to do
  bool stopping_ = false, writerEnded_ = false;
  std::condition_variable roomy_, sent_, work_, ended_, laneWork_;

  std::mutex sending_;  // held while using the channel; taken before mutex_
  wire::Buffer outgoing_;
  std::vector<std::byte> packed_;

  // The writer looks at these while callers append: away from what they write.
  alignas(64) std::atomic<bool> pending_{false};  // there may be something to send
  std::atomic<bool> asleep_{false};
  std::atomic<bool> dead_{false};
  std::atomic<std::uint64_t> bytesSent_{0}, laneBytes_{0}, bytesPacked_{0};  // bytesSent_: over the channel
  std::atomic<std::uint64_t> lanesSoFar_{0};
  std::chrono::microseconds gather_ = kFirstGather;  // of the writer
  net::Packer packer_;
  std::thread writer_;
  Helpers helpers_;
};

}  // namespace hipr::client
