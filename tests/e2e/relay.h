// A relay between a client and a worker that sees whole frames of the worker, and may pass on others. It serves one
// connection, in a process of its own, which ends with the object.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "wire/frame.h"
#include "wire/messages.h"

namespace hipr::testing {

struct RelayedFrame {
  wire::Header header;
  std::vector<std::byte> payload;
  wire::Opcode opcode() const { return static_cast<wire::Opcode>(header.opcode); }
  bool is(wire::Opcode opcode) const { return header.opcode == static_cast<std::uint16_t>(opcode); }
};

// What the client is sent instead of a frame, in pieces.
class RelayedBytes {
 public:
  void pass(const RelayedFrame& frame);  // with the length that it has now
  void raw(std::vector<std::byte> bytes) { pieces_.push_back({std::move(bytes), 0}); }
  void pause(int milliseconds) { pieces_.push_back({{}, milliseconds}); }
  template <class Message>
  void add(wire::Opcode opcode, std::uint32_t request, std::uint32_t flags, const Message& message) {
    RelayedFrame frame{{.opcode = static_cast<std::uint16_t>(opcode), .request = request, .flags = flags}, {}};
    wire::Writer(frame.payload).put(message);
    pass(frame);
  }
  template <class Message>
  void push(wire::Opcode opcode, const Message& message) {
    add(opcode, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, message);
  }

  struct Piece {
    std::vector<std::byte> bytes;
    int pause;  // milliseconds, before the next one
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

class Relay {
 public:
  using Tamper = std::function<void(RelayedFrame& frame, RelayedBytes& out)>;
  Relay(int workerPort, Tamper tamper);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  int port() const { return port_; }

 private:
  pid_t process_ = -1;
  int port_ = 0;
};

}  // namespace hipr::testing
