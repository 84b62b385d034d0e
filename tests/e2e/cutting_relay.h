// A relay between programs and their worker that cuts connections, with and without a reset, or halts them: after so
// many bytes, or after so many frames of the first one; or all at once, for a while.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "net/socket.h"
#include "wire/frame.h"

namespace hipr {

enum class How { kClose, kReset, kHalt };

class CuttingRelay {
 public:
  struct Plan {
    std::size_t most = 0;  // bytes, both directions together, that a connection lives at most; 0: as long as it likes
    std::vector<How> ways{How::kClose, How::kReset};
    unsigned seed = 1;
    std::optional<int> afterFrame{};  // the first connection is cut there, and no other
  };
  CuttingRelay(int workerPort, Plan plan) : workerPort_(workerPort), plan_(std::move(plan)), random_(plan_.seed) {
    std::uint16_t port = 0;
    if (!net::listenOn("127.0.0.1", 0, listener_, &port).ok()) std::abort();
    port_ = port;
    thread_ = std::thread([this] { run(); });
  }
  ~CuttingRelay() {
    stopping_ = true;
    thread_.join();
  }

  int port() const { return port_; }
  int cuts() const { return cuts_; }
  int frames() const { return frames_; }  // that have passed on the first connection, both directions together
  int lines() const { return open_; }
  void shut(bool now) { shut_ = now; }  // nobody gets through, whoever does already included

 private:
  // From one side to the other: how much is missing of the frame that has begun.
  struct Way {
    std::array<std::byte, wire::kHeaderSize> head;
    std::size_t headLeft = wire::kHeaderSize;
    std::uint64_t payloadLeft = 0;
  };
  struct Line {
    net::Socket client, worker;
    std::size_t left = SIZE_MAX;
    How how{};
    bool counts = false;
    bool halted = false;
    Way there{}, back{};
  };
  static constexpr std::size_t kGreeting = 16 << 10;  // cuts of it are made by frames

  void run() {
    std::vector<std::unique_ptr<Line>> lines;
    while (!stopping_) {
      std::vector<pollfd> entries{{listener_.fd(), POLLIN, 0}};
      for (const auto& line : lines) {
        entries.push_back({line->halted ? -1 : line->client.fd(), POLLIN, 0});
        entries.push_back({line->halted ? -1 : line->worker.fd(), POLLIN, 0});
      }
      poll(entries.data(), entries.size(), 20);
      std::size_t at = 1;
      std::erase_if(lines, [&](const auto& line) {
        const short client = entries[at++].revents, worker = entries[at++].revents;
        return (client && !pass(*line, line->client, line->worker)) ||
               (worker && !pass(*line, line->worker, line->client));
      });
      if (entries[0].revents) lines.push_back(newLine());
      if (shut_) lines.clear();
      open_ = static_cast<int>(lines.size());
    }
  }

  std::unique_ptr<Line> newLine() {
    auto line = std::make_unique<Line>();
    line->client = net::Socket(accept(listener_.fd(), nullptr, nullptr));
    if (!net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(workerPort_)}, 10, line->worker).ok()) std::abort();
    line->counts = plan_.afterFrame && count_ == 0;
    if (plan_.most) line->left = (count_ ? 100 : kGreeting) + random_() % plan_.most;
    line->how = plan_.ways[random_() % plan_.ways.size()];
    ++count_;
    return line;
  }

  // How many of these bytes are before the end of the frame after which the connection is cut; all of them: it is not.
  std::size_t untilTheCut(Way& way, std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      if (way.headLeft) {
        const std::size_t size = std::min(way.headLeft, bytes.size() - at);
        std::memcpy(way.head.data() + wire::kHeaderSize - way.headLeft, bytes.data() + at, size);
        way.headLeft -= size;
        at += size;
        if (way.headLeft) break;
        wire::Header header;
        if (!wire::decodeHeader(way.head, header)) std::abort();
        way.payloadLeft = header.length;
      }
      const std::size_t size = std::min<std::uint64_t>(way.payloadLeft, bytes.size() - at);
      way.payloadLeft -= size;
      at += size;
      if (way.payloadLeft) break;
      way.headLeft = wire::kHeaderSize;
      if (++frames_ == plan_.afterFrame) return at;
    }
    return SIZE_MAX;
  }

  bool pass(Line& line, net::Socket& from, net::Socket& to) {
    std::vector<std::byte> buffer(std::min<std::size_t>(line.left, 64 << 10));
    const ssize_t got = recv(from.fd(), buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    std::span<const std::byte> bytes(buffer.data(), static_cast<std::size_t>(got));
    if (line.counts) {
      const std::size_t end = untilTheCut(&from == &line.client ? line.there : line.back, bytes);
      if (end != SIZE_MAX) bytes = bytes.first(line.left = end);
    }
    if (!to.send(bytes).ok()) return false;
    line.left -= bytes.size();
    if (line.left) return true;
    ++cuts_;
    if (line.how == How::kHalt) return line.halted = true;
    const linger now{1, 0};
    if (line.how == How::kReset)
      for (const net::Socket* socket : {&line.client, &line.worker})
        setsockopt(socket->fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    return false;
  }

  const int workerPort_;
  const Plan plan_;
  std::minstd_rand random_;
  net::Socket listener_;
  int port_ = 0, count_ = 0;
  std::atomic<int> cuts_{0}, frames_{0}, open_{0};
  std::atomic<bool> stopping_{false}, shut_{false};
  std::thread thread_;
};

}  // namespace hipr
