// Transport: a stream of bytes to one peer and back, whatever carries it. TCP and unix sockets are one kind
// (net/socket_transport.h); nothing above knows descriptors.
//
// Sending and receiving may happen in different threads, each in one at a time. await(), watchAgain() and wake() let a
// group of threads take turns at receiving: they all await() input, one of them gets it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace hipr::platform {
class InputWatch;
class SharedMemory;
}  // namespace hipr::platform

namespace hipr::net {

class Transport {
 public:
  using Part = std::span<const std::byte>;
  using Room = std::span<std::byte>;
  enum class Patience { kNone, kWait };

  virtual ~Transport() = default;

  // Sends all of it. Gives up when the peer takes nothing for as long as the transport's timeout.
  virtual Status send(std::span<const Part> parts) = 0;
  Status send(Part bytes) { return send(std::span<const Part>(&bytes, 1)); }
  // Sends what can be sent without waiting. What was not taken must be what is sent next.
  virtual Status trySend(Part bytes, std::size_t* taken) = 0;
  // For a process whose other threads have been ended, wherever they were (platform/exit.h): waits for nobody. False:
  // not all of it was sent.
  virtual bool sendLast(Part /*bytes*/) { return false; }

  // --- memory, where a connection can carry it
  // A few bytes, and with them memory that the peer may have, too. Any thread may call it at any time.
  virtual Status sendMemory(Part /*bytes*/, const platform::SharedMemory& /*memory*/) {
    return Status::unsupported("this connection carries no memory");
  }
  // What has come first and has not been taken; kNotFound when nothing has. REQUIRES: called by whoever receives.
  virtual Status takeMemory(std::size_t /*size*/, platform::SharedMemory& /*out*/) {
    return Status::unsupported("this connection carries no memory");
  }

  // Fills the rooms, one after the other, with what there is. With kWait it waits for the first byte, as long as
  // setTimeout allows. Nothing came: *got = 0. A peer that has closed, or is gone, is a failure.
  virtual Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) = 0;
  virtual void setTimeout(int milliseconds) = 0;  // of one receive(); 0: none
  Status receiveAll(Room room);                   // waits for all of it; a peer that is silent for so long is a failure

  virtual void finishSending() = 0;  // the peer reads the end of the stream behind what was sent
  virtual void shutdown() = 0;       // wakes everybody who waits in here; nothing works afterwards

  // --- taking turns
  enum class Ready {
    kInput,  // there is something to receive, or the peer is gone. This thread alone knows, until watchAgain()
    kWoken,  // wake() was called
    kTimeout,
  };
  virtual Ready await(int milliseconds) = 0;  // -1: for ever
  // From now on somebody who awaits is told of input. False: there is some already, and this thread still is the only
  // one that knows.
  virtual bool watchAgain() = 0;
  virtual void wake() = 0;  // one thread that awaits, or the next one that does
  // Those who await outlive a connection: they go on with the one that succeeds it.
  virtual std::shared_ptr<platform::InputWatch> watchers() { return nullptr; }
  virtual void succeed(Transport& /*predecessor*/) {}

  virtual std::string peer() const = 0;  // how log lines call it
  virtual const char* kind() const = 0;  // "tcp", "tls" or "shm": what its bytes travel in
};

using TransportPtr = std::unique_ptr<Transport>;

}  // namespace hipr::net
