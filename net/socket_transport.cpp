#include "net/socket_transport.h"

#include <algorithm>
#include <cstdlib>
#include <deque>

#include "platform/input_watch.h"
#include "platform/shared_memory.h"
#include "platform/unix_socket.h"

namespace hipr::net {
namespace {

using platform::Io;
using platform::IoResult;

constexpr std::size_t kMostMemories = 512;  // on their way

class SocketTransport : public Transport {
 public:
  SocketTransport(Socket socket, int ioTimeoutSeconds) : socket_(std::move(socket)), unix_(isUnix(socket_)) {
    socket_.tune(ioTimeoutSeconds);
  }

  Status send(std::span<const Part> parts) override {
    Part left[platform::kMostParts];
    const auto end = std::copy_if(parts.begin(), parts.end(), left, [](const Part& part) { return !part.empty(); });
    return socket_.send({left, end});
  }

  Status trySend(Part bytes, std::size_t* taken) override {
    const IoResult result = platform::sendParts(socket_.fd(), {&bytes, 1}, platform::Patience::kNone);
    *taken = result.bytes;
    return result.outcome == Io::kFailed ? failure("sending") : Status{};
  }

  bool sendLast(Part bytes) override { return platform::sendLast(socket_.fd(), bytes); }

  Status sendMemory(Part bytes, const platform::SharedMemory& memory) override {
    if (!unix_) return Transport::sendMemory(bytes, memory);
    return platform::sendDescriptor(socket_.fd(), bytes, memory.descriptor()) ? Status{} : failure("sending");
  }

  Status takeMemory(std::size_t size, platform::SharedMemory& out) override {
    if (memories_.empty()) return Status::notFound("memory that has not come");
    platform::SharedMemory first = std::move(memories_.front());
    memories_.pop_front();
    return platform::SharedMemory::take(first.release(), size, out);
  }

  Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) override {
    const auto how = patience == Patience::kNone ? platform::Patience::kNone : platform::Patience::kWait;
    const IoResult result =
        unix_ && rooms.size() == 1 ? receiveMemory(rooms[0], how) : platform::receiveParts(socket_.fd(), rooms, how);
    *got = result.bytes;
    if (memories_.size() > kMostMemories) return Status::invalid("memory that nobody asked for");
    if (result.outcome == Io::kClosed) return Status::cut("the peer closed the connection");
    return result.outcome == Io::kFailed ? failure("receiving") : Status{};
  }

  void setTimeout(int milliseconds) override { platform::setReceiveTimeout(socket_.fd(), milliseconds); }

  void finishSending() override { platform::shutdownSocket(socket_.fd(), platform::Direction::kSending); }
  void shutdown() override { socket_.shutdown(); }

  // REQUIRES: no other thread is in here when the first one comes.
  Ready await(int milliseconds) override {
    if (!watch_) watch_ = std::make_shared<platform::InputWatch>(socket_.fd());
    switch (watch_->await(milliseconds)) {
      case platform::InputWatch::Ready::kInput:
        return Ready::kInput;
      case platform::InputWatch::Ready::kWoken:
        return Ready::kWoken;
      default:
        return Ready::kTimeout;
    }
  }
  bool watchAgain() override {
    watch_->watchAgain();
    return true;
  }
  void wake() override {
    if (watch_) watch_->wake();
  }
  std::shared_ptr<platform::InputWatch> watchers() override { return watch_; }
  void succeed(Transport& predecessor) override {
    watch_ = predecessor.watchers();
    if (watch_) watch_->watch(socket_.fd());
  }

  std::string peer() const override { return peerName(socket_); }
  const char* kind() const override { return "tcp"; }

 private:
  IoResult receiveMemory(const Room& room, platform::Patience how) {
    int descriptor = -1;
    const IoResult result = platform::receiveWithDescriptor(socket_.fd(), room, how, descriptor);
    if (descriptor >= 0) memories_.emplace_back(descriptor);
    return result;
  }

  static Status failure(const char* what) { return Status::cut(std::string(what) + ": " + platform::socketError()); }

  Socket socket_;
  const bool unix_;
  std::deque<platform::SharedMemory> memories_;  // that have come and nobody has taken, unchecked
  std::shared_ptr<platform::InputWatch> watch_;  // goes on with the connection that succeeds this one
};

}  // namespace

TransportPtr overSocket(Socket socket, int ioTimeoutSeconds) {
  return std::make_unique<SocketTransport>(std::move(socket), ioTimeoutSeconds);
}

std::pair<TransportPtr, TransportPtr> loopback() {
  platform::SocketHandle ends[2];
  if (!platform::socketPair(ends)) std::abort();
  return {overSocket(Socket(ends[0]), 60), overSocket(Socket(ends[1]), 60)};
}

}  // namespace hipr::net
