// Descriptors that go from one of the worker's processes to another, each with a packet of bytes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <utility>

namespace hipr::worker {

// A descriptor, owned.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

enum class Patience { kNone, kEndless };

// What sendmsg and recvmsg answer. `give` below 0: none; `taken` is empty when none came.
// REQUIRES: the socket keeps messages apart (SOCK_SEQPACKET).
ssize_t sendPacket(int socket, std::span<const std::byte> bytes, int give, Patience patience);
ssize_t receivePacket(int socket, std::span<std::byte> bytes, Descriptor& taken, Patience patience);

}  // namespace hipr::worker
