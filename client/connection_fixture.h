// A connection, and a test at the other end that answers when it likes.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <future>

#include "client/connection.h"
#include "net/socket_transport.h"

namespace hipr::client {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::Opcode;
using Clock = std::chrono::steady_clock;

class ConnectionTest : public ::testing::Test {
 protected:
  explicit ConnectionTest(int ioTimeout = 20) {
    auto ends = net::loopback();
    worker_ = std::move(ends.second);
    worker_->setTimeout(20000);
    connection_ = std::make_unique<Connection>(wrap(std::move(ends.first)), "gpu:1", ioTimeout, stats_);
    connection_->start(
        [this](Opcode, wire::Bytes) {
          ++pushes_;
          return true;
        },
        [this](const std::string& why) {
          ++losses_;
          loss_ = why;
        },
        [this] { ++rests_; });
  }

  // --- the program
  bool ask(int* status = nullptr) {
    wire::Done done;
    const bool answered = connection_->call<Opcode::kStreamSynchronize>({1}, done);
    if (status) *status = done.status;
    return answered;
  }
  // In a thread of its own; the status of the answer, or -1 when the connection was lost.
  std::future<int> askAside() {
    return std::async(std::launch::async, [this] {
      int status = 0;
      return ask(&status) ? status : -1;
    });
  }
  struct Told : Pending {
    explicit Told(std::promise<bool>& p) : promise(p) {}
    void answered(wire::Bytes reply) override { promise.set_value(reply.data() != nullptr); }
    std::promise<bool>& promise;
  };
  static bool ready(const std::future<int>& future, milliseconds patience) {
    return future.wait_for(patience) == std::future_status::ready;
  }

  // --- the worker
  template <class Message>
  static void append(wire::Buffer& out, Opcode opcode, std::uint32_t request, std::uint32_t flags,
                     const Message& message) {
    const std::size_t start = out.size();
    out.extend(wire::kHeaderSize);
    wire::BasicWriter<wire::Buffer>(out).put(message);
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(opcode),
                        .request = request,
                        .flags = flags,
                        .length = out.size() - start - wire::kHeaderSize},
                       out.data() + start);
  }
  static void appendAnswer(wire::Buffer& out, std::uint32_t request, int status) {
    append(out, Opcode::kStreamSynchronize, request, wire::HIP_REMOTE_FLAG_REPLY, wire::Done{status});
  }
  void answer(std::uint32_t request, int status) {
    wire::Buffer out;
    appendAnswer(out, request, status);
    send(out.bytes());
  }
  void push() {
    wire::Buffer out;
    append(out, Opcode::kProgress, 0, 0, wire::Progress{1, 1});
    send(out.bytes());
  }
  void sendData(std::uint64_t transfer, std::uint64_t offset, wire::Bytes bytes, std::size_t promised) {
    std::vector<std::byte> frame(wire::kHeaderSize + wire::kDataPrefix);
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kData), .length = wire::kDataPrefix + promised},
                       frame.data());
    const std::uint64_t prefix[2] = {transfer, offset};
    std::memcpy(frame.data() + wire::kHeaderSize, prefix, sizeof prefix);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    send(frame);
  }
  void send(wire::Bytes bytes) { EXPECT_TRUE(worker_->send(bytes).ok()); }
  void receive(std::span<std::byte> out) {
    while (!out.empty()) {
      std::size_t got = 0;
      ASSERT_TRUE(worker_->receive({&out, 1}, net::Transport::Patience::kWait, &got).ok());
      ASSERT_GT(got, 0u) << "the client says nothing";
      out = out.subspan(got);
    }
  }
  std::pair<wire::Header, std::vector<std::byte>> nextFrame() {
    std::byte head[wire::kHeaderSize];
    receive(head);
    wire::Header header;
    EXPECT_TRUE(wire::decodeHeader(head, header));
    std::vector<std::byte> payload(header.length);
    receive(payload);
    return {header, payload};
  }
  std::uint32_t nextRequest() { return nextFrame().first.request; }  // of the next message

  template <class Condition>
  static bool soon(Condition condition) {
    const auto patience = Clock::now() + seconds(20);
    while (!condition() && Clock::now() < patience) std::this_thread::sleep_for(milliseconds(1));
    return condition();
  }

  // A thread that receives straight into a program's memory is stopped in the middle of it while this is closed.
  class Gate {
   public:
    void close() { state_ = kClosed; }
    void open() {
      state_ = kOpen;
      state_.notify_all();
    }
    bool awaitSomebody() {
      return soon([this] { return state_ == kSomebody; });
    }
    void pass() {
      int closed = kClosed;
      if (!state_.compare_exchange_strong(closed, kSomebody)) return;
      state_.wait(kSomebody);
    }

   private:
    enum State { kOpen, kClosed, kSomebody };
    std::atomic<int> state_{kOpen};
  };
  class Gated : public net::Transport {
   public:
    Gated(net::TransportPtr inner, Gate& gate) : inner_(std::move(inner)), gate_(gate) {}
    Status send(std::span<const Part> parts) override { return inner_->send(parts); }
    Status trySend(Part bytes, std::size_t* taken) override { return inner_->trySend(bytes, taken); }
    Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) override {
      if (!rooms.empty() && rooms[0].size() > kStraight) gate_.pass();
      return inner_->receive(rooms, patience, got);
    }
    void setTimeout(int milliseconds) override { inner_->setTimeout(milliseconds); }
    void finishSending() override { inner_->finishSending(); }
    void shutdown() override { inner_->shutdown(); }
    Ready await(int milliseconds) override { return inner_->await(milliseconds); }
    bool watchAgain() override { return inner_->watchAgain(); }
    void wake() override { inner_->wake(); }
    std::string peer() const override { return inner_->peer(); }
    const char* kind() const override { return inner_->kind(); }

   private:
    static constexpr std::size_t kStraight = 512 << 10;  // the read buffer is smaller
    net::TransportPtr inner_;
    Gate& gate_;
  };
  net::TransportPtr wrap(net::TransportPtr inner) { return std::make_unique<Gated>(std::move(inner), gate_); }

  Gate gate_;
  Stats stats_;
  net::TransportPtr worker_;
  std::atomic<int> pushes_{0}, losses_{0}, rests_{0};
  std::string loss_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace hipr::client
