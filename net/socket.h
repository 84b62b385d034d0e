// TCP sockets as both sides use them: blocking, with timeouts, whole buffers at a time. Errors are sentences.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "platform/socket.h"

namespace hipr::net {

// Owns a socket of the system. Sending and receiving may happen in different threads; each direction in one at a time.
class Socket {
 public:
  Socket() = default;
  explicit Socket(platform::SocketHandle handle) : handle_(handle) {}
  Socket(Socket&& other) noexcept : handle_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  bool open() const { return handle_ != platform::kNoSocket; }
  platform::SocketHandle fd() const { return handle_; }
  platform::SocketHandle release() { return std::exchange(handle_, platform::kNoSocket); }
  void close();
  void shutdown();  // wakes every thread blocked on it

  // Settings of both sides: no Nagle; at most 256 KiB unsent in the kernel, so that a small message overtakes bulk; and
  // an idle connection is probed every few seconds, so that each side learns that the other's machine is gone.
  void tune(int ioTimeoutSeconds);

  void setReceiveTimeout(std::chrono::milliseconds timeout) const;  // 0: none
  void setReceiveTimeout(int seconds) const { setReceiveTimeout(std::chrono::seconds(seconds)); }

  Status send(std::span<const std::byte> bytes);
  Status send(std::span<std::span<const std::byte>> parts);  // consumes `parts`: up to platform::kMostParts
  Status receive(void* out, std::size_t size);               // exactly `size` bytes; kCut at end of stream

  // Reads what is there, at least one byte. 0 with ok() means the peer closed.
  Status receiveSome(void* out, std::size_t capacity, std::size_t* got);

  // Bytes can be read without waiting.
  bool readable() const { return platform::readable(handle_); }

 private:
  platform::SocketHandle handle_ = platform::kNoSocket;
};

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
  std::string path{};  // of a unix socket, instead of both

  std::string name() const { return path.empty() ? host + ":" + std::to_string(port) : "unix:" + path; }
};

// "host", "host:port", "1.2.3.4", "::1", "[::1]:port", "unix:/path", "unix:@name".
Status parseEndpoint(const std::string& text, std::uint16_t defaultPort, Endpoint& out);

// Several, separated by commas.
Status parseEndpoints(const std::string& text, std::uint16_t defaultPort, std::vector<Endpoint>& out);

// Tries every address of the host until one answers; the message names each address tried. `nobodyListens`: the host is
// there, and says so.
Status connectTo(const Endpoint& endpoint, int timeoutSeconds, Socket& out, bool* nobodyListens = nullptr);

// Port 0 picks a free one; `bound` tells which.
Status listenOn(const std::string& address, std::uint16_t port, Socket& out, std::uint16_t* bound);

// At a unix socket (platform/unix_socket.h).
Status connectUnix(const std::string& name, Socket& out);
Status listenUnix(const std::string& name, Socket& out);
bool isUnix(const Socket& socket);

bool isConnected(const Socket& socket);      // as far as this side knows
bool isLoopback(const Socket& socket);       // the peer is on this machine; false also when it has gone
std::string peerName(const Socket& socket);  // "127.0.0.1:40312"
std::string ownName(const Socket& socket);   // what the peer calls us, if nothing stands between

}  // namespace hipr::net
