// InputWatch lets a group of threads take turns at one socket: all of them await input, one is told of it, and nobody
// else until it says so. Thread-safe.
#pragma once

#include <memory>

#include "platform/socket.h"

namespace hipr::platform {

class InputWatch {
 public:
  explicit InputWatch(SocketHandle socket);
  ~InputWatch();

  enum class Ready { kInput, kWoken, kTimeout };
  Ready await(int milliseconds);    // -1: for ever
  void watchAgain();                // after kInput
  void wake();                      // one thread that awaits, or the next one that does
  void watch(SocketHandle socket);  // another one from now on; kNoSocket: none. Whoever was told of input still is

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace hipr::platform
