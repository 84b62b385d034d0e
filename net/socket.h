// TCP sockets as both sides use them: blocking, with timeouts, whole buffers at a time. Errors are sentences.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace hipr::net {

// Owns a file descriptor. Sending and receiving may happen in different threads; each direction in one at a time.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  bool open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void close();
  void shutdown();  // wakes every thread blocked on it

  // Settings of both sides: no Nagle; at most 256 KiB unsent in the kernel, so that a small message overtakes bulk; and
  // an idle connection is probed every few seconds, so that each side learns that the other's machine is gone.
  void tune(int ioTimeoutSeconds);

  void setReceiveTimeout(int seconds) const;  // 0: none

  Status send(std::span<const std::byte> bytes);
  Status send(iovec* parts, std::size_t count);  // consumes `parts`
  Status receive(void* out, std::size_t size);   // exactly `size` bytes; kUnavailable at end of stream

  // Reads what is there, at least one byte. 0 with ok() means the peer closed.
  Status receiveSome(void* out, std::size_t capacity, std::size_t* got);

  // Bytes can be read without waiting.
  bool readable() const;

 private:
  int fd_ = -1;
};

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};

// "host", "host:port", "1.2.3.4", "::1", "[::1]:port".
Status parseEndpoint(const std::string& text, std::uint16_t defaultPort, Endpoint& out);

// Tries every address of the host until one answers; the message names each address tried.
Status connectTo(const Endpoint& endpoint, int timeoutSeconds, Socket& out);

// Port 0 picks a free one; `bound` tells which.
Status listenOn(const std::string& address, std::uint16_t port, Socket& out, std::uint16_t* bound);

bool isLoopback(const Socket& socket);       // the peer is on this machine
std::string peerName(const Socket& socket);  // "127.0.0.1:40312"

}  // namespace hipr::net
