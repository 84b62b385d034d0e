// Connection: one socket to the worker. Messages go out through the Outbox; a reader thread takes in replies, downloads
// and pushes.
//
// Three verbs: post (never waits), ask/call (waits for the answer), and send (goes on, and is told when the answer
// comes). When the connection is lost every waiter wakes, the loss is logged once and everything later fails at once.
// Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "client/outbox.h"
#include "client/stats.h"
#include "net/socket.h"
#include "wire/messages.h"

namespace hipr::client {

// Somebody who waits for an answer. answered() runs on the reader thread, exactly once; `reply` is empty when the
// connection is lost.
class Pending {
 public:
  virtual ~Pending() = default;
  virtual void answered(wire::Bytes reply) = 0;
};

// The host side of a download: the reader puts its bytes straight where they belong.
struct BulkDownload {
  HostShape to;
  std::size_t received = 0;
};

class Connection {
 public:
  using PushHandler = std::function<bool(wire::Opcode, wire::Bytes)>;  // false: not understood

  // `name` is how error lines call the worker ("host:port").
  Connection(net::Socket socket, std::string name, int ioTimeout, Stats& stats);
  ~Connection();

  // The first exchange, before start(): sends and waits in the calling thread.
  template <class Message, class Reply>
  Status greet(wire::Opcode opcode, const Message& message, std::vector<std::byte>& storage, Reply& reply);

  void start(PushHandler onPush,
             std::function<void(const std::string&)> onLoss);  // onLoss gets a sentence for the user
  void stop();

  void closeDescriptor() { socket_.close(); }  // in a forked child, where the threads do not exist

  bool alive() const { return !dead_.load(std::memory_order_relaxed); }
  Outbox& outbox() { return outbox_; }

  template <wire::Opcode kOp, class Under>
  void post(const typename wire::MessageOf<kOp>::Type& message, Under&& under) {
    stats_.posted.fetch_add(1, std::memory_order_relaxed);
    outbox_.append(kOp, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, message, false, std::forward<Under>(under));
  }
  template <wire::Opcode kOp>
  void post(const typename wire::MessageOf<kOp>::Type& message) {
    post<kOp>(message, [] {});
  }

  template <wire::Opcode kOp, class Under>
  void send(const typename wire::MessageOf<kOp>::Type& message, std::unique_ptr<Pending> pending, Under&& under) {
    stats_.posted.fetch_add(1, std::memory_order_relaxed);
    append<kOp>(message, *pending.release(), true, false, std::forward<Under>(under));
  }

  // Waits. False when the connection was lost.
  template <wire::Opcode kOp, class Reply, class Under>
  bool call(const typename wire::MessageOf<kOp>::Type& message, Reply& reply, Under&& under) {
    stats_.waited.fetch_add(1, std::memory_order_relaxed);
    Waiter waiter;
    append<kOp>(message, waiter, false, true, std::forward<Under>(under));
    outbox_.flush();
    return waiter.wait() && decode(waiter.reply(), reply, wire::opcodeName(static_cast<std::uint16_t>(kOp)));
  }
  template <wire::Opcode kOp, class Reply>
  bool call(const typename wire::MessageOf<kOp>::Type& message, Reply& reply) {
    return call<kOp>(message, reply, [] {});
  }

  void addDownload(std::uint64_t transfer, const BulkDownload& download);
  void removeDownload(std::uint64_t transfer);
  bool transferring();  // host memory is being read or written on behalf of a call that has returned

  void lose(const Status& why);

 private:
  class Waiter : public Pending {
   public:
    void answered(wire::Bytes reply) override;
    bool wait();  // false when the connection was lost
    wire::Bytes reply() const { return reply_; }

   private:
    std::vector<std::byte> reply_;
    std::atomic<int> state_{0};  // 0 waiting, 1 answered, 2 lost
  };
  struct Entry {
    Pending* pending;
    bool owned;
  };

  template <wire::Opcode kOp, class Under>
  void append(const typename wire::MessageOf<kOp>::Type& message, Pending& pending, bool owned, bool urgent,
              Under&& under) {
    const std::uint32_t request = enter(pending, owned);
    if (request) outbox_.append(kOp, request, 0, message, urgent, std::forward<Under>(under));
  }
  template <class Reply>
  bool decode(wire::Bytes bytes, Reply& reply, const char* what) {
    wire::Reader reader(bytes);
    reader.get(reply);
    if (!reader.ok()) lose(Status::invalid(std::string("malformed answer to ") + what));
    return reader.ok();
  }

  std::uint32_t enter(Pending& pending, bool owned);  // 0 when the connection is gone and `pending` has been told
  void finish(std::uint32_t request, wire::Bytes reply);
  void read();
  bool handle(const wire::Header& header, wire::Bytes payload);
  Status receiveData(const wire::Header& header);
  Status fill(void* out, std::size_t size);  // from the read buffer, then the socket
  Status refill();
  void dropAll();

  net::Socket socket_;
  std::string name_;
  int ioTimeout_;
  Stats& stats_;
  Outbox outbox_;
  PushHandler onPush_;
  std::function<void(const std::string&)> onLoss_;
  std::thread reader_;

  std::vector<std::byte> buffer_;  // read ahead; [begin_, end_) is not handled yet
  std::size_t begin_ = 0, end_ = 0;

  std::mutex mutex_;  // guards what follows
  std::map<std::uint32_t, Entry> waiting_;
  std::map<std::uint64_t, BulkDownload> downloads_;
  std::uint32_t nextRequest_ = 1;

  std::atomic<bool> dead_{false};
  std::atomic<bool> stopping_{false};
};

template <class Message, class Reply>
Status Connection::greet(wire::Opcode opcode, const Message& message, std::vector<std::byte>& storage, Reply& reply) {
  outbox_.append(opcode, 0, 0, message, true, [] {});
  outbox_.flush();
  if (dead_) return Status::unavailable("connection lost during the greeting");
  std::byte head[wire::kHeaderSize];
  wire::Header header;
  if (Status status = fill(head, sizeof head); !status.ok()) return status;
  if (!wire::decodeHeader(head, header)) return Status::invalid("the peer does not speak the HIP Remote protocol");
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
    return Status::unavailable("refused: " + refused.text);
  }
  reader.get(reply);
  if (header.opcode != static_cast<std::uint16_t>(opcode) || !reader.ok()) return Status::invalid("malformed greeting");
  return {};
}

}  // namespace hipr::client
