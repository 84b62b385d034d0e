// Connection: one channel to the worker. Messages go out through the Outbox; replies, downloads and pushes come in.
//
// Three verbs: post (never waits), call (waits for the answer), and send (goes on, and is told when the answer comes).
//
// Who reads? A thread that waits for an answer reads for itself, and for everybody else, until it has it; so an answer
// wakes the thread that wants it and no other. Only while nobody waits a thread of the connection reads: at once when
// something is expected (a function to run, data of a call that has returned), otherwise when nobody has waited for a
// while. When the connection is lost every waiter wakes, the loss is logged once and everything later fails at once.
//
// One rule of time for all that is read: a worker shows a sign of life within the timeout, at the latest when asked
// with a Ping; and a message that has begun arrives whole within the timeout for each MiB of it. What a worker says is
// checked (claims.h); an answer to a question nobody asked ends the connection. Thread-safe.
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
  std::size_t received = 0;
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

  void start(PushHandler onPush,
             std::function<void(const std::string&)> onLoss);  // onLoss gets a sentence for the user
  void stop();

  void closeInChild();  // after a fork, where the threads do not exist

  bool alive() const { return !dead_.load(std::memory_order_relaxed); }
  Outbox& outbox() { return outbox_; }
  net::Channel& channel() { return *channel_; }

  // `under` runs under the lock that orders messages; `urgent`: the caller will flush the outbox itself.
  template <wire::Opcode kOp, class Under>
  void post(const typename wire::MessageOf<kOp>::Type& message, bool urgent, Under&& under) {
    stats_.posted.fetch_add(1, std::memory_order_relaxed);
    outbox_.append(kOp, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, message, urgent, std::forward<Under>(under));
  }
  template <wire::Opcode kOp, class Under>
  void post(const typename wire::MessageOf<kOp>::Type& message, Under&& under) {
    post<kOp>(message, false, std::forward<Under>(under));
  }
  template <wire::Opcode kOp>
  void post(const typename wire::MessageOf<kOp>::Type& message) {
    post<kOp>(message, [] {});
  }

  template <wire::Opcode kOp, class Under>
  void send(const typename wire::MessageOf<kOp>::Type& message, std::unique_ptr<Pending> pending, Under&& under) {
    stats_.posted.fetch_add(1, std::memory_order_relaxed);
    if (const std::uint32_t request = enter(kOp, std::move(pending)))
      outbox_.append(kOp, request, 0, message, false, std::forward<Under>(under));
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
  };

  template <class Reply>
  bool decode(wire::Bytes bytes, Reply& reply, const char* what) {
    wire::Reader reader(bytes);
    reader.get(reply);
    const bool whole = reader.ok() && reader.atEnd();
    if (!whole) lose(Status::invalid(std::string("malformed answer to ") + what));
    return whole;
  }

  std::uint32_t enter(wire::Opcode opcode,
                      Entry entry);  // 0 when the connection is gone and whoever it is has been told
  bool await(Waiter& waiter);
  static bool tell(Entry& entry, wire::Bytes reply);           // true: somebody was waiting for it
  bool finish(const wire::Header& header, wire::Bytes reply);  // false when nobody asked that
  void dropAll();  // REQUIRES: the channel is shut down, and the caller is not putting data in its place

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
  // Finds the download that a piece belongs to and counts it as received. Until placed(), its memory is written to, and
  // nobody who may free it is told anything.
  Status place(std::uint64_t transfer, std::uint64_t offset, std::size_t size, HostShape& to);
  void placed();
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
  Output output_;
  PushHandler onPush_;
  std::function<void(const std::string&)> onLoss_;
  std::thread background_;

  std::vector<std::byte> buffer_;  // read ahead; [begin_, end_) is not handled yet
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::byte> payload_, unpacked_;
  net::Unpacker unpacker_;
  bool begun_ = false;              // some bytes of a message have come
  std::size_t coming_ = 0;          // its size
  Clock::time_point messageEnd_{};  // when all of it must be here; unset until somebody has to wait for the rest
  Spin spin_{std::chrono::microseconds(40)};
  bool eager_ = false;           // whoever reads is waiting for an answer
  bool answeredWaiter_ = false;  // the frame just handled was what somebody else waits for

  std::mutex mutex_;  // guards what follows
  std::map<std::uint32_t, Question> waiting_;
  std::vector<Waiter*> sleepers_;  // wait while somebody else reads
  std::map<std::uint64_t, BulkDownload> downloads_;
  std::optional<std::uint64_t> placing_;  // the download whose memory is being written to
  std::condition_variable placed_;
  std::uint32_t nextRequest_ = 1;
  bool reading_ = false;
  std::uint64_t turns_ = 0;  // how often somebody who waits has read
  std::condition_variable wakeBackground_;

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
