// A client for tests: speaks the protocol over a socket, one message at a time, and keeps what the worker pushes.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "net/packing.h"
#include "net/socket.h"
#include "wire/frame.h"
#include "wire/messages.h"
#include "worker/outbox.h"

namespace hipr::worker {

inline constexpr std::uint64_t kTestDeviceBase = 0x260000000000, kTestDeviceSize = std::uint64_t{4} << 30;
inline constexpr std::uint64_t kTestHostBase = 0x270000000000, kTestHostSize = std::uint64_t{1} << 30;

// Messages as tests need them; fields they do not care about keep their defaults.
inline wire::Upload uploadHere(std::uint64_t stream, const wire::Shape& to, wire::Bytes bytes) {
  wire::Upload message;
  message.stream = stream;
  message.to = to;
  message.bytes = bytes;
  return message;
}
inline wire::Upload uploadLater(std::uint64_t stream, const wire::Shape& to, std::uint64_t transfer) {
  wire::Upload message;
  message.stream = stream;
  message.to = to;
  message.transfer = transfer;
  return message;
}
inline wire::FillMemory fillWith(std::uint64_t stream, const wire::Shape& to, std::uint32_t value, std::uint32_t size) {
  wire::FillMemory message;
  message.stream = stream;
  message.to = to;
  message.value = value;
  message.elementSize = size;
  return message;
}

struct Frame {
  wire::Header header;
  std::vector<std::byte> payload;
  wire::Opcode opcode() const { return static_cast<wire::Opcode>(header.opcode); }
  bool isReply() const { return header.flags & wire::HIP_REMOTE_FLAG_REPLY; }
};

class TestClient {
 public:
  explicit TestClient(net::Socket socket) : socket_(std::move(socket)) {
    const timeval patience{20, 0};
    setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  net::Socket& socket() { return socket_; }

  // Posts; returns the request number for expectReply.
  template <wire::Opcode kOp>
  std::uint32_t send(const typename wire::MessageOf<kOp>::Type& message) {
    std::vector<std::byte> frame;
    appendFrame(frame, kOp, ++request_, 0, message);
    EXPECT_TRUE(socket_.send(frame).ok());
    return request_;
  }
  void sendData(std::uint64_t transfer, std::uint64_t offset, std::span<const std::byte> bytes,
                std::uint32_t flags = 0) {
    std::vector<std::byte> frame;
    appendFrame(frame, wire::Opcode::kData, 0, 0, wire::Data{transfer, offset});
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(wire::Opcode::kData),
                        .flags = flags,
                        .length = wire::kDataPrefix + bytes.size()},
                       frame.data());
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    (void)socket_.send(frame);
  }

  // A piece of `size` bytes, packed into these.
  void sendPacked(std::uint64_t transfer, std::uint64_t offset, std::uint64_t size, std::span<const std::byte> packed,
                  std::uint32_t flags = 0) {
    std::vector<std::byte> frame;
    appendFrame(frame, wire::Opcode::kPackedData, 0, 0, wire::PackedData{transfer, offset, size});
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(wire::Opcode::kPackedData),
                        .flags = flags,
                        .length = wire::kPackedDataPrefix + packed.size()},
                       frame.data());
    frame.insert(frame.end(), packed.begin(), packed.end());
    (void)socket_.send(frame);
  }

  // The next frame, whatever it is; nullopt when the worker has closed the connection or says nothing.
  std::optional<Frame> next() {
    Frame frame;
    std::byte head[wire::kHeaderSize];
    if (!socket_.receive(head, sizeof head).ok()) return std::nullopt;
    if (!wire::decodeHeader(head, frame.header)) {
      ADD_FAILURE() << "the worker sent a malformed header";
      return std::nullopt;
    }
    frame.payload.resize(frame.header.length);
    if (!socket_.receive(frame.payload.data(), frame.payload.size()).ok()) return std::nullopt;
    return frame;
  }

  template <class Message>
  static Message decode(const Frame& frame) {
    Message message;
    wire::Reader reader(frame.payload);
    reader.get(message);
    EXPECT_TRUE(reader.ok()) << wire::opcodeName(frame.header.opcode);
    return message;
  }

  // Reads until the answer to `request`; what comes before it is kept in `seen`.
  std::optional<Frame> answer(std::uint32_t request) {
    while (auto frame = next()) {
      if (frame->isReply() && frame->header.request == request) return frame;
      keep(std::move(*frame));
    }
    ADD_FAILURE() << "no answer";
    return std::nullopt;
  }
  template <wire::Opcode kOp>
  hipError_t ask(const typename wire::MessageOf<kOp>::Type& message) {
    return status(send<kOp>(message));
  }
  hipError_t status(std::uint32_t request) {
    const auto frame = answer(request);
    return frame ? static_cast<hipError_t>(decode<wire::Done>(*frame).status) : hipErrorUnknown;
  }
  template <class Reply, wire::Opcode kOp>
  Reply call(const typename wire::MessageOf<kOp>::Type& message, std::vector<std::byte>& storage) {
    auto frame = answer(send<kOp>(message));
    if (!frame) return {};
    storage = std::move(frame->payload);
    Reply reply;
    wire::Reader reader(storage);
    reader.get(reply);
    EXPECT_TRUE(reader.ok());
    return reply;
  }

  // Waits for a push of this kind, now or in `seen`.
  template <class Message>
  std::optional<Message> expectPush(wire::Opcode opcode) {
    for (auto it = seen.begin(); it != seen.end(); ++it) {
      if (it->opcode() != opcode) continue;
      Message message = decode<Message>(*it);
      seen.erase(it);
      return message;
    }
    while (auto frame = next()) {
      if (frame->opcode() == opcode && !frame->isReply()) return decode<Message>(*frame);
      keep(std::move(*frame));
    }
    ADD_FAILURE() << "no " << wire::opcodeName(static_cast<std::uint16_t>(opcode));
    return std::nullopt;
  }
  bool sawPush(wire::Opcode opcode) const {
    for (const Frame& frame : seen) {
      if (frame.opcode() == opcode) return true;
    }
    return false;
  }

  wire::HelloReply hello() { return hello(kTestHostBase, kTestHostSize); }
  wire::HelloReply hello(std::uint64_t hostBase, std::uint64_t hostSize) {
    wire::Hello message;
    message.deviceBase = kTestDeviceBase;
    message.deviceSize = kTestDeviceSize;
    message.hostBase = hostBase;
    message.hostSize = hostSize;
    message.messages = messages;
    return call<wire::HelloReply, wire::Opcode::kHello>(message, helloStorage_);
  }

  std::vector<std::uint16_t> messages;                       // that hello() says this client may send
  int packedFrames = 0;                                      // of what was received
  std::deque<Frame> seen;                                    // pushes nobody has asked for yet
  std::map<std::uint64_t, std::vector<std::byte>> received;  // downloads

 private:
  void keep(Frame frame) {
    const bool packed = frame.opcode() == wire::Opcode::kPackedData;
    if (!packed && frame.opcode() != wire::Opcode::kData) {
      seen.push_back(std::move(frame));
      return;
    }
    std::uint64_t prefix[3] = {};
    const std::size_t prefixed = packed ? wire::kPackedDataPrefix : wire::kDataPrefix;
    std::memcpy(prefix, frame.payload.data(), prefixed);
    std::vector<std::byte>& bytes = received[prefix[0]];
    EXPECT_EQ(prefix[1], bytes.size()) << "data out of order";
    const std::span<const std::byte> came = std::span(frame.payload).subspan(prefixed);
    if (!packed) {
      bytes.insert(bytes.end(), came.begin(), came.end());
      return;
    }
    ++packedFrames;
    bytes.resize(prefix[1] + prefix[2]);
    EXPECT_TRUE(net::Unpacker().unpack(came, std::span(bytes).subspan(prefix[1])));
  }

  net::Socket socket_;
  std::uint32_t request_ = 0;
  std::vector<std::byte> helloStorage_;
};

}  // namespace hipr::worker
