#include "worker/outbox.h"

#include <sys/socket.h>

#include <cerrno>

namespace hipr::worker {
namespace {

constexpr std::size_t kMaxQueued = 64 << 20;

}  // namespace

Outbox::~Outbox() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (flusher_.joinable()) flusher_.join();
}

void Outbox::fail() {
  std::lock_guard lock(mutex_);
  failed_ = true;
  queued_.clear();
  socket_.shutdown();
}

void Outbox::keep(std::span<const std::byte> bytes) {
  if (queued_.size() + bytes.size() > kMaxQueued) {  // a client that asks and never reads
    failed_ = true;
    socket_.shutdown();
    return;
  }
  queued_.insert(queued_.end(), bytes.begin(), bytes.end());
}

void Outbox::post(std::span<const std::byte> frames) {
  Lock lock(mutex_);
  if (failed_) return;
  counters_.sent(frames.size());
  if (busy_ || !queued_.empty()) return keep(frames);
  const ssize_t sent = ::send(socket_.fd(), frames.data(), frames.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(frames.size())) return;
  if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    failed_ = true;
    return;
  }
  keep(frames.subspan(sent > 0 ? static_cast<std::size_t>(sent) : 0));
  if (!flusher_.joinable()) flusher_ = std::thread([this] { flush(); });
  changed_.notify_all();
}

void Outbox::startUsing(Lock& lock) {
  changed_.wait(lock, [this] { return !busy_; });
  busy_ = true;
}

void Outbox::sendQueued(Lock& lock) {
  while (!queued_.empty() && !failed_) {
    std::vector<std::byte> now;
    now.swap(queued_);
    lock.unlock();
    const bool ok = socket_.send(now).ok();
    lock.lock();
    if (!ok) failed_ = true;
  }
}

void Outbox::stopUsing(Lock& lock) {
  sendQueued(lock);
  busy_ = false;
  changed_.notify_all();
}

void Outbox::sendBulk(std::span<const std::byte> head, std::span<const std::byte> body) {
  Lock lock(mutex_);
  startUsing(lock);
  sendQueued(lock);
  if (!failed_ && !(head.empty() && body.empty())) {
    lock.unlock();
    iovec parts[2] = {{const_cast<std::byte*>(head.data()), head.size()},
                      {const_cast<std::byte*>(body.data()), body.size()}};
    const bool ok = socket_.send(parts, 2).ok();
    counters_.sent(head.size() + body.size());
    lock.lock();
    if (!ok) {
      failed_ = true;
      socket_.shutdown();
    }
  }
  stopUsing(lock);
}

void Outbox::flush() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || (!queued_.empty() && !busy_); });
    if (ending_) return;
    busy_ = true;
    stopUsing(lock);
    if (failed_) socket_.shutdown();
  }
}

}  // namespace hipr::worker
