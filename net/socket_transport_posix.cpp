#include "net/socket_transport.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hipr::net {
namespace {

constexpr std::size_t kMostParts = 8;

Status failure(const char* what) {
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return Status::unavailable(std::string(what) + ": the peer did not respond in time");
  return Status::unavailable(std::string(what) + ": " + std::strerror(errno));
}

class SocketTransport : public Transport {
 public:
  SocketTransport(Socket socket, int ioTimeoutSeconds) : socket_(std::move(socket)) { socket_.tune(ioTimeoutSeconds); }
  ~SocketTransport() override {
    if (poll_ >= 0) ::close(poll_);
    if (woken_ >= 0) ::close(woken_);
  }

  Status send(std::span<const Part> parts) override {
    iovec vectors[kMostParts];
    std::size_t count = 0;
    for (const Part& part : parts)
      if (!part.empty()) vectors[count++] = {const_cast<std::byte*>(part.data()), part.size()};
    return socket_.send(vectors, count);
  }

  Status trySend(Part bytes, std::size_t* taken) override {
    const ssize_t sent = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    *taken = sent > 0 ? static_cast<std::size_t>(sent) : 0;
    if (sent >= 0 || errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {};
    return failure("sending");
  }

  Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) override {
    iovec vectors[kMostParts];
    for (std::size_t i = 0; i < rooms.size(); ++i) vectors[i] = {rooms[i].data(), rooms[i].size()};
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = rooms.size();
    const int flags = patience == Patience::kNone ? MSG_DONTWAIT : 0;
    *got = 0;
    for (;;) {
      const ssize_t n = ::recvmsg(socket_.fd(), &message, flags);
      if (n > 0) {
        *got = static_cast<std::size_t>(n);
        return {};
      }
      if (n == 0) return Status::unavailable("the peer closed the connection");
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {};
      return failure("receiving");
    }
  }

  void setTimeout(int milliseconds) override {
    const timeval timeout{milliseconds / 1000, milliseconds % 1000 * 1000};
    ::setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  }

  void finishSending() override { ::shutdown(socket_.fd(), SHUT_WR); }
  void shutdown() override { socket_.shutdown(); }

  Ready await(int milliseconds) override {
    if (poll_ < 0) watch();
    epoll_event event{};
    const int n = ::epoll_wait(poll_, &event, 1, milliseconds);
    if (n <= 0) return Ready::kTimeout;
    if (event.data.fd == socket_.fd()) return Ready::kInput;
    std::uint64_t one = 0;
    (void)!::read(woken_, &one, sizeof one);  // another thread may have been quicker: then this was for nothing
    return Ready::kWoken;
  }

  void watchAgain() override {
    // One-shot: whoever is told of input is the only one, so nobody else wakes up for it.
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
    event.data.fd = socket_.fd();
    ::epoll_ctl(poll_, EPOLL_CTL_MOD, socket_.fd(), &event);
  }

  void wake() override {
    const std::uint64_t one = 1;
    if (woken_ >= 0) (void)!::write(woken_, &one, sizeof one);
  }

  std::string peer() const override { return peerName(socket_); }

 private:
  // REQUIRES: no other thread is in await() yet.
  void watch() {
    poll_ = ::epoll_create1(EPOLL_CLOEXEC);
    woken_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    if (poll_ < 0 || woken_ < 0) std::abort();  // out of descriptors before the first byte: nothing can be served
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
    event.data.fd = socket_.fd();
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, socket_.fd(), &event);
    event.events = EPOLLIN;
    event.data.fd = woken_;
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, woken_, &event);
  }

  Socket socket_;
  int poll_ = -1, woken_ = -1;
};

}  // namespace

TransportPtr overSocket(Socket socket, int ioTimeoutSeconds) {
  return std::make_unique<SocketTransport>(std::move(socket), ioTimeoutSeconds);
}

std::pair<TransportPtr, TransportPtr> loopback() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  return {overSocket(Socket(ends[0]), 60), overSocket(Socket(ends[1]), 60)};
}

}  // namespace hipr::net
