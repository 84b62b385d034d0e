// Connection: one channel to the worker. Messages go out through the Outbox; replies, downloads and pushes come in.
//
// Four verbs: post (never waits), call (waits for the answer), send (goes on, and is told when the answer comes) and
// join (waits for the answer to what was sent).
//
// Which thread reads? A thread that waits for an answer reads, for itself and for all other threads, until it has its
// answer; so an answer wakes only the thread that wants it. A thread of the connection reads only while no caller
// waits: at once when something is expected (a function to run, data of a call that has returned), otherwise after
// nobody has waited for a while. When the connection is lost every waiter wakes, the loss is logged once, and
// everything later fails at once; but nobody goes on before all threads have let go of the program's memory, which it
// may free now (rest).
//
// One rule of time for everything that is read: a worker shows a sign of life within the timeout, at the latest when
// asked with a Ping; and a message that has begun arrives whole within the timeout for each MiB of it. What a worker
// says is checked (claims.h); an answer to a question that nobody asked ends the connection. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/spin.h"
#include "base/text.h"
#include "client/claims.h"
#include "client/download_lanes.h"
#include "client/outbox.h"
#include "client/output.h"
#include "client/stats.h"
#include "net/channel.h"
#include "net/packing.h"
#include "platform/no_cancel.h"
#include "wire/messages.h"

namespace hipr::client {

// Somebody who wants to know an answer without waiting for it. answered() runs on the thread that reads, exactly once;
// `reply` is empty when the connection is lost.
class Pending {
 public:
  virtual ~Pending() = default;
  virtual void answered(wire::Bytes reply) = 0;
};

// The host side of a download: whoever reads puts its bytes straight where they belong.
struct BulkDownload {
  HostShape to;
  std::size_t received = 0;                   // or announced for a lane: where the next piece belongs
  std::size_t onLanes = 0;                    // of these, bytes that are not there yet
  std::map<std::size_t, std::size_t> lost{};  // offset → size of pieces that a lane lost, until they come once more

  std::size_t left() const { return to.bytes() - received + onLanes; }
  bool underWay() const { return received > 0 && left() > 0; }
};

class Connection {
 public:
  using PushHandler = std::function<bool(wire::Opcode, wire::Bytes)>;  // false: not understood

  // `name` is how error lines call the worker ("host:port"); ioTimeout in seconds.
  Connection(net::TransportPtr transport, std::string name, int ioTimeout, Stats& stats);
  ~Connection();

  // The first exchange, before start(): sends and waits in the calling thread.
  template <class Message, class Reply>
  Status greet(wire::Opcode opcode, const Message& message, std::vector<std::byte>& storage, Reply& reply);

  // onLoss gets a sentence for the user; onRest belongs to rest(), for what onPush does to the program's memory.
  void start(PushHandler onPush, std::function<void(const std::string&)> onLoss, std::function<void()> onRest = {});
  void stop();

  void closeInChild();  // after a fork, where the threads do not exist

  bool alive() const { return !dead_.load(std::memory_order_relaxed); }
  Outbox& outbox() { return outbox_; }
  net::Channel& channel() { return *channel_; }
  // From now on there may be lanes in these directions, opened by this.
  void useLanes(net::When when, const OpenLane& open, bool up, bool down);
  const DownloadLanes& downloadLanes() const { return downloadLanes_; }

  // `under` runs under the lock that orders messages; `urgent`: the caller will flush the outbox itself.
  template <wire::Opcode kOp, class Under>
  void post(const typename wire::MessageOf<kOp>::Type& message, bool urgent, Under&& under) {
    outbox_.append(kOp, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, message, urgent, [&] {
      stats_.countPosted();
      under();
    });
  }
  template <wire::Opcode kOp, class Under>
  void post(const typename wire::MessageOf<kOp>::Type& message, Under&& under) {
    post<kOp>(message, false, std::forward<Under>(under));
  }
  template <wire::Opcode kOp>
  void post(const typename wire::MessageOf<kOp>::Type& message) {
    post<kOp>(message, [] {});
  }

  // The number of the question; 0 when the connection is lost, and then `under` does not run. It may run when `pending`
  // has been told already: a connection may be lost meanwhile, and a worker may answer what it has not been asked yet.
  template <wire::Opcode kOp, class Under>
  std::uint32_t send(const typename wire::MessageOf<kOp>::Type& message, std::unique_ptr<Pending> pending,
                     Under&& under) {
    const std::uint32_t request = enter(kOp, std::move(pending));
    if (request) {
      outbox_.append(kOp, request, 0, message, false, [&] {
        stats_.countPosted();
        under(request);
      });
    }
    return request;
  }
  template <wire::Opcode kOp>
  std::uint32_t send(const typename wire::MessageOf<kOp>::Type& message, std::unique_ptr<Pending> pending) {
    return send<kOp>(message, std::move(pending), [](std::uint32_t) {});
  }

  // Waits. False when the connection was lost.
  template <wire::Opcode kOp, class Reply, class Under>
  bool call(const typename wire::MessageOf<kOp>::Type& message, Reply& reply, Under&& under) {
    const NoCancel whole;
    stats_.waited.fetch_add(1, std::memory_order_relaxed);
    Waiter waiter;
    const std::uint32_t request = enter(kOp, &waiter);
    if (!request) return false;
    outbox_.append(kOp, request, 0, message, true, std::forward<Under>(under));
    outbox_.flush();
    const bool answered = await(waiter);
    output_.settle();
    return answered && decode(waiter.reply, reply, wire::opcodeName(static_cast<std::uint16_t>(kOp)));
  }
  template <wire::Opcode kOp, class Reply>
  bool call(const typename wire::MessageOf<kOp>::Type& message, Reply& reply) {
    return call<kOp>(message, reply, [] {});
  }

  // Waits for the answer to what was sent, of which `pending` has heard by then. False when the connection was lost;
  // nothing when there is no such question any more.
  template <class Reply>
  std::optional<bool> join(std::uint32_t request, Reply& reply) {
    const NoCancel whole;
    Waiter waiter;
    if (!enterBeside(request, waiter)) return std::nullopt;
    stats_.waited.fetch_add(1, std::memory_order_relaxed);
    stats_.joined.fetch_add(1, std::memory_order_relaxed);
    outbox_.flush();
    const bool answered = await(waiter);
    output_.settle();
    return answered && decode(waiter.reply, reply, "what was asked before");
  }

  // Takes in what has arrived, unless somebody else is reading.
  void poll();
  // Something will come that nobody waits for: `by` more, or less, such things.
  void expect(int by);

  void addDownload(std::uint64_t transfer, const BulkDownload& download);
  bool removeDownload(std::uint64_t transfer);  // true when every byte of it has come
  bool transferring();  // host memory is being read or written on behalf of a call that has returned
  bool downloadsInto(const HostShape& memory);  // some of it has yet to be written by a download

  void settleOutput() { output_.settle(); }  // what kernels printed so far is written (output.h)

  void lose(const Status& why);
  // Of a lost connection: returns when nobody reads or writes the program's memory for it any more. REQUIRES: not
  // called by a thread that does, or that reads what comes.
  void rest();
  // Of a call that has found out that the worker lies, before it returns. REQUIRES: as for rest()
  void loseAndRest(const Status& why) {
    lose(why);
    rest();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kMostGreeting = 16 << 20;  // a snapshot of 256 devices has a quarter of it

  struct Waiter {
    enum State { kWaiting, kLead, kAnswered, kLost };  // kLead: nobody reads any more, it is this one's turn
    std::vector<std::byte> reply;
    std::atomic<int> state{kWaiting};
  };
  using Entry = std::variant<Waiter*, std::unique_ptr<Pending>>;
  struct Question {
    wire::Opcode opcode;
    Entry entry;
    std::vector<Waiter*> beside{};  // who waits for it as well
  };

  template <class Reply>
  bool decode(wire::Bytes bytes, Reply& reply, const char* what) {
    wire::Reader reader(bytes);
    reader.get(reply);
    const bool whole = reader.ok() && reader.atEnd();
    if (!whole) loseAndRest(Status::invalid(std::string("malformed answer to ") + what));
    return whole;
  }

  std::uint32_t enter(wire::Opcode opcode,
                      Entry entry);  // 0 when the connection is gone and whoever it is has been told
  bool enterBeside(std::uint32_t request, Waiter& waiter);  // false when it has been answered
  bool await(Waiter& waiter);
  static bool tell(Question& question, wire::Bytes reply);  // true: somebody was waiting for it
  static void tell(Waiter& waiter, wire::Bytes reply);
  bool finish(const wire::Header& header, wire::Bytes reply);  // false when nobody asked that
  void dropAll();
  void dropDownloads();  // REQUIRES: mutex_

  void stalled();  // an upload waits for the worker to open it

  // --- reading: by one thread at a time
  void readInBackground();
  bool startReading(std::unique_lock<std::mutex>& lock);  // false when somebody else does
  void stopReading(std::unique_lock<std::mutex>& lock);   // and lets somebody else
  Status readFrame();
  bool handle(const wire::Header& header, wire::Bytes payload);
  bool print(wire::Bytes payload);
  bool acknowledged(wire::Bytes payload);
  Status receiveData(const wire::Header& header);
  // Finds the download that a piece belongs to and counts it as received. Until placed(), its memory is written to.
  Status place(std::uint64_t transfer, std::uint64_t offset, std::size_t size, HostShape& to);
  void placed(std::uint64_t transfer);
  template <class Change>
  void change(BulkDownload& download, Change&& change);  // REQUIRES: mutex_, as for the next
  void uncount(const BulkDownload& download);
  // --- pieces that come over lanes
  bool announced(wire::Bytes payload);
  void pieceCame(const wire::LaneData& piece, wire::Bytes bytes, std::size_t travelled);
  void pieceLost(const wire::LaneData& piece);
  void answerPiece(const wire::LaneData& piece, bool came);
  void measure(std::size_t bytes);  // came over some connection
  Status unpack(const HostShape& to, std::size_t offset, std::size_t size, std::size_t packed);
  Status fill(void* out, std::size_t size);  // from the read buffer, then the transport
  bool late();                               // the message being read takes too long
  Status giveUp(const Status& why);          // of this connection: ok() when another one may follow
  Status receive(std::span<const net::Transport::Room> rooms, std::size_t* got);
  bool buffered() const { return begin_ != end_; }

  std::unique_ptr<net::Channel> channel_;
  std::string name_;
  int ioTimeout_;
  Stats& stats_;
  Outbox outbox_;
  DownloadLanes downloadLanes_;
  Output output_;
  PushHandler onPush_;
  std::function<void(const std::string&)> onLoss_;
  std::function<void()> onRest_;
  std::thread background_;

  std::vector<std::byte> buffer_;  // read ahead; [begin_, end_) is not handled yet
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::byte> payload_, unpacked_;
  net::Unpacker unpacker_;
  bool begun_ = false;              // some bytes of a message have come
  std::size_t coming_ = 0;          // its size
  Clock::time_point messageEnd_{};  // when all of it must be here; unset until somebody has to wait for the rest
  Spin spin_{std::chrono::microseconds(100)};  // several wake-ups long: what a step waits for often takes that
  bool eager_ = false;                         // whoever reads is waiting for an answer
  bool answeredWaiter_ = false;                // the frame just handled was what somebody else waits for

  std::mutex mutex_;  // guards what follows
  std::map<std::uint32_t, Question> waiting_;
  std::vector<Waiter*> sleepers_;  // wait while somebody else reads
  std::map<std::uint64_t, BulkDownload> downloads_;
  std::uint64_t waitingBytes_ = 0;      // of all downloads, that have not come
  std::size_t underWay_ = 0;            // downloads of which some, but not all have
  std::size_t lostPieces_ = 0;          // of all downloads, that have not come once more
  std::vector<std::uint64_t> placing_;  // downloads whose memory is being written to, by several threads at a time
  std::condition_variable placed_;
  std::uint32_t nextRequest_ = 1;
  bool reading_ = false;
  std::uint64_t turns_ = 0;  // how often somebody who waits has read
  std::condition_variable wakeBackground_;
  // A program that asks for something and goes on to wait at once, as it does for a copy to pinned memory, reads that
  // by itself: when it was so the last few times, the background reader is not woken for the next.
  Clock::time_point askedAt_{};
  int habit_ = 0;

  std::atomic<std::size_t> downloadCount_{0};  // downloads_.size(), to look at without the lock
  std::atomic<int> expected_{0};
  std::atomic<bool> lost_{false};  // somebody is seeing to it, or has
  std::atomic<bool> dead_{false};
  std::atomic<bool> stopping_{false};
};

template <class Message, class Reply>
Status Connection::greet(wire::Opcode opcode, const Message& message, std::vector<std::byte>& storage, Reply& reply) {
  outbox_.append(opcode, 0, 0, message, true, [] {});
  outbox_.flush();
  if (dead_) return Status::cut("connection lost during the greeting");
  begun_ = true;  // all of it within one timeout
  coming_ = 0;
  messageEnd_ = {};
  std::byte head[wire::kHeaderSize];
  wire::Header header;
  if (Status status = fill(head, sizeof head); !status.ok()) return status;
  if (!wire::decodeHeader(head, header)) return Status::invalid("the peer does not speak the HIP Remote protocol");
  if (header.length > kMostGreeting)
    return Status::invalid("a greeting of " + std::to_string(header.length) + " bytes");
  storage.resize(header.length);
  if (Status status = fill(storage.data(), storage.size()); !status.ok()) return status;
  if (header.version != wire::kProtocolVersion) {
    return Status::invalid("the worker speaks protocol version " + std::to_string(header.version) + ", this library " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  }
  wire::Reader reader(storage);
  if (header.opcode == static_cast<std::uint16_t>(wire::Opcode::kRefused)) {
    wire::Refused refused;
    reader.get(refused);
    return refused.toStatus();
  }
  reader.get(reply);
  if (header.opcode != static_cast<std::uint16_t>(opcode) || !reader.ok() || !reader.atEnd())
    return Status::invalid("malformed greeting");
  return {};
}

}  // namespace hipr::client
