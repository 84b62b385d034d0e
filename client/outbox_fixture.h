// An outbox, and who receives what it sends, frame by frame.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "client/outbox.h"
#include "net/socket_transport.h"

namespace hipr::client {

struct Frame {
  wire::Header header;
  std::vector<std::byte> payload;
};

class OutboxTest : public ::testing::Test {
 protected:
  OutboxTest() { outbox_.start(); }
  void TearDown() override {  // what a test has given it to send is gone before it is
    if (ends_.second) ends_.second->shutdown();
    outbox_.stop();
  }

  void receive(std::span<std::byte> out) {
    while (!out.empty()) {
      std::size_t got = 0;
      ASSERT_TRUE(ends_.second->receive({&out, 1}, net::Transport::Patience::kWait, &got).ok());
      out = out.subspan(got);
    }
  }

  Frame next() {
    Frame frame;
    std::byte head[wire::kHeaderSize];
    receive(head);
    EXPECT_TRUE(wire::decodeHeader(head, frame.header));
    frame.payload.resize(frame.header.length);
    receive(frame.payload);
    return frame;
  }
  static wire::Upload uploadOf(std::uint64_t transfer) {
    wire::Upload message;
    message.transfer = transfer;
    return message;
  }
  void post(std::uint64_t stream) {
    outbox_.append(wire::Opcode::kStreamDestroy, 0, 0, wire::StreamDestroy{stream}, false, [] {});
  }

  std::pair<net::TransportPtr, net::TransportPtr> ends_ = net::loopback(), other_ = net::loopback();
  net::Channel channel_{std::move(ends_.first)};
  int failures_ = 0;
  Outbox outbox_{channel_,
                 [this](Status) {
                   ++failures_;
                   outbox_.fail();
                 },
                 [] {}};
};

}  // namespace hipr::client
