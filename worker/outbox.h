// Outbox: everything on its way to the client. Thread-safe.
//
// A small frame never makes its sender wait: what the socket does not take at once is queued, and whoever uses the
// socket next, or a thread kept for this, sends it. Bulk data makes its sender wait, one frame at a time, so that small
// frames slip in between.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "net/channel.h"
#include "net/link_speed.h"
#include "wire/append.h"
#include "worker/session_counters.h"

namespace hipr::worker {

class Outbox {
 public:
  explicit Outbox(net::Channel& channel, SessionCounters& counters = SessionCounters::nobody())
      : channel_(channel), counters_(counters) {}
  ~Outbox();

  void post(std::span<const std::byte> frames);  // one or several whole frames
  // Leaves together with whatever is sent next: for what nobody waits for by itself.
  void postAlong(std::span<const std::byte> frames);
  void flush() { post({}); }  // what was posted along
  // Waits until the socket has taken all of it. The body stays as it is until settle(owner); the frames behind it leave
  // in one go with it.
  void sendBulk(std::span<const std::byte> head, std::span<const std::byte> body, std::uint64_t owner,
                std::span<const std::byte> behind = {});
  void settle(std::uint64_t owner) { channel_.settle(owner); }
  void acknowledged(std::uint64_t position);  // by the client
  std::optional<double> lineSpeed();          // bytes per second, as far as that is known
  std::size_t bulkAtOnce();                   // bytes: small frames wait for that much, and not longer than they need
  // Nothing more will be sent; the channel is shut down, which wakes the reader.
  void fail();
  // Waits, within the socket's timeout, until everything posted is on its way.
  void drain() { sendBulk({}, {}, 0); }

  SessionCounters& counters() { return counters_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  void startUsing(Lock& lock);  // waits until nobody sends
  void stopUsing(Lock& lock);   // sends what was queued meanwhile
  void sendQueued(Lock& lock);
  void keep(std::span<const std::byte> bytes);
  void sendOrKeep(std::span<const std::byte> frames);
  void sendLeftovers();  // the thread for them

  net::Channel& channel_;
  SessionCounters& counters_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::byte> queued_, along_;
  net::LinkSpeed speed_;
  bool busy_ = false;  // somebody is in a send that may wait
  bool failed_ = false;
  bool ending_ = false;
  std::thread flusher_;
};

using wire::appendFrame;

template <class Message>
void push(Outbox& outbox, wire::Opcode opcode, const Message& message) {
  std::vector<std::byte> frame;
  appendFrame(frame, opcode, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, message);
  outbox.post(frame);
}

template <class Message>
void reply(Outbox& outbox, wire::Opcode opcode, std::uint32_t request, const Message& message) {
  std::vector<std::byte> frame;
  appendFrame(frame, opcode, request, wire::HIP_REMOTE_FLAG_REPLY, message);
  SessionCounters::add(outbox.counters().roundTrips);
  outbox.post(frame);
}

}  // namespace hipr::worker
