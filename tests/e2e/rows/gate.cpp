#include "tests/e2e/rows/gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "wire/messages.h"

namespace hipr::rows {
namespace {

constexpr auto kMarkTimeout = std::chrono::seconds(20);

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void check(bool ok, const char* what) {
  if (ok) return;
  std::perror(what);
  std::exit(1);
}

int newSocket() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(fd >= 0, "the gate's socket");
  return fd;
}

void sendAtOnce(int fd) {
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool readAll(int fd, std::byte* out, std::size_t size) {
  while (size) {
    const ssize_t got = ::recv(fd, out, size, 0);
    if (got <= 0) return false;
    out += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool writeAll(int fd, const std::byte* in, std::size_t size) {
  while (size) {
    const ssize_t put = ::send(fd, in, size, MSG_NOSIGNAL);
    if (put <= 0) return false;
    in += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

// One message, header and all.
bool readFrame(int fd, std::vector<std::byte>& frame, wire::Header& header) {
  frame.resize(wire::kHeaderSize);
  if (!readAll(fd, frame.data(), frame.size())) return false;
  if (!wire::decodeHeader(std::span<const std::byte, wire::kHeaderSize>(frame.data(), wire::kHeaderSize), header)) {
    return false;
  }
  frame.resize(wire::kHeaderSize + header.length);
  return readAll(fd, frame.data() + wire::kHeaderSize, header.length);
}

bool holdsMark(const std::vector<std::byte>& frame) {
  const auto* mark = reinterpret_cast<const std::byte*>(&Gate::kMark);
  return std::search(frame.begin() + wire::kHeaderSize, frame.end(), mark, mark + sizeof Gate::kMark) != frame.end();
}

bool isPing(const wire::Header& header) {
  return header.opcode == static_cast<std::uint16_t>(wire::Opcode::kPing);
}

}  // namespace

Gate::Gate(int workerPort) : workerPort_(workerPort), listener_(newSocket()) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  check(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0, "the gate's address");
  check(::listen(listener_, 8) == 0, "the gate's listener");
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept(); });
}

Gate::~Gate() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  for (Connection& c : connections_) {
    end(c);
    c.up.join();
    c.down.join();
    ::close(c.client);
    ::close(c.worker);
  }
}

void Gate::accept() {
  for (int client; (client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    const int worker = newSocket();
    const sockaddr_in address = loopback(workerPort_);
    check(::connect(worker, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "the gate's worker");
    sendAtOnce(client);
    sendAtOnce(worker);
    std::lock_guard lock(mutex_);
    Connection& c = connections_.emplace_back();
    c.client = client;
    c.worker = worker;
    outstanding_ = 0;  // whatever another connection was asked is lost with it
    c.up = std::thread([this, &c] { carryUp(c); });
    c.down = std::thread([this, &c] { carryDown(c); });
  }
}

void Gate::end(Connection& c) {
  {
    std::lock_guard lock(mutex_);
    c.over = true;
  }
  changed_.notify_all();
  ::shutdown(c.client, SHUT_RDWR);
  ::shutdown(c.worker, SHUT_RDWR);
}

void Gate::carryUp(Connection& c) {
  std::vector<std::byte> frame;
  wire::Header header;
  while (readFrame(c.client, frame, header)) {
    count(header, frame);
    if (!writeAll(c.worker, frame.data(), frame.size())) break;
  }
  end(c);
}

void Gate::carryDown(Connection& c) {
  std::vector<std::byte> frame;
  wire::Header header;
  while (readFrame(c.worker, frame, header)) {
    if (!pass(c, header) || !writeAll(c.client, frame.data(), frame.size())) break;
  }
  end(c);
}

void Gate::count(const wire::Header& header, const std::vector<std::byte>& frame) {
  if (isPing(header)) return;
  std::lock_guard lock(mutex_);
  if (holdsMark(frame)) marks_.push_back(sent_);
  ++sent_;
  if ((header.flags & wire::HIP_REMOTE_FLAG_NO_REPLY) == 0) {
    ++asked_;
    ++outstanding_;
  }
  changed_.notify_all();
}

bool Gate::pass(const Connection& c, const wire::Header& header) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !shut_ || letting_ || c.over; });
  if (c.over) return false;
  if ((header.flags & wire::HIP_REMOTE_FLAG_REPLY) != 0 && !isPing(header)) {
    letting_ = false;
    if (outstanding_) --outstanding_;
    changed_.notify_all();
  }
  return true;
}

void Gate::shut() {
  std::lock_guard lock(mutex_);
  shut_ = true;
  letting_ = false;
}

void Gate::open() {
  {
    std::lock_guard lock(mutex_);
    shut_ = letting_ = false;
  }
  changed_.notify_all();
}

void Gate::letAnswerPass() {
  {
    std::lock_guard lock(mutex_);
    letting_ = true;
  }
  changed_.notify_all();
}

bool Gate::letting() const {
  std::lock_guard lock(mutex_);
  return letting_;
}

std::uint64_t Gate::asked() const {
  std::lock_guard lock(mutex_);
  return asked_;
}

bool Gate::allAnswered() const {
  std::lock_guard lock(mutex_);
  return outstanding_ == 0;
}

std::size_t Gate::marks() const {
  std::lock_guard lock(mutex_);
  return marks_.size();
}

std::uint64_t Gate::messagesBeforeMark(std::size_t n) const {
  std::unique_lock lock(mutex_);
  const bool came = changed_.wait_for(lock, kMarkTimeout, [&] { return marks_.size() > n; });
  check(came, "a mark never came through the gate");
  return marks_[n];
}

}  // namespace hipr::rows
