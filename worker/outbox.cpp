#include "worker/outbox.h"

#include <algorithm>

namespace hipr::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxQueued = 64 << 20;
constexpr std::size_t kLeastAtOnce = 64 << 10;  // smaller frames cost more than they gain
constexpr double kShortWait = 0.004;            // seconds

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
  channel_.shutdown();
}

void Outbox::keep(std::span<const std::byte> bytes) {
  if (queued_.size() + bytes.size() > kMaxQueued) {  // a client that asks and never reads
    failed_ = true;
    channel_.shutdown();
    return;
  }
  queued_.insert(queued_.end(), bytes.begin(), bytes.end());
}

void Outbox::postAlong(std::span<const std::byte> frames) {
  Lock lock(mutex_);
  if (failed_) return;
  counters_.sent(frames.size());
  if (busy_ || !queued_.empty()) return keep(frames);
  along_.insert(along_.end(), frames.begin(), frames.end());
}

void Outbox::post(std::span<const std::byte> frames) {
  Lock lock(mutex_);
  if (failed_) return;
  counters_.sent(frames.size());
  if (!along_.empty()) {
    along_.insert(along_.end(), frames.begin(), frames.end());
    frames = along_;
  }
  if (!frames.empty()) sendOrKeep(frames);
  along_.clear();
}

void Outbox::sendOrKeep(std::span<const std::byte> frames) {
  if (busy_ || !queued_.empty()) return keep(frames);
  std::size_t sent = 0;
  if (!channel_.trySend(frames, &sent).ok()) {
    failed_ = true;
    return;
  }
  if (sent == frames.size()) return;
  keep(frames.subspan(sent));
  if (!flusher_.joinable()) flusher_ = std::thread([this] { sendLeftovers(); });
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
    const bool ok = channel_.send(now).ok();
    lock.lock();
    if (!ok) failed_ = true;
  }
}

void Outbox::stopUsing(Lock& lock) {
  sendQueued(lock);
  busy_ = false;
  changed_.notify_all();
}

void Outbox::sendBulk(std::span<const std::byte> head, std::span<const std::byte> body, std::uint64_t owner,
                      std::span<const std::byte> behind) {
  Lock lock(mutex_);
  startUsing(lock);
  keep(along_);
  along_.clear();
  sendQueued(lock);
  if (!failed_ && !(head.empty() && body.empty())) {
    const std::uint64_t from = channel_.sent(), size = head.size() + body.size() + behind.size();
    speed_.sending(Clock::now(), from, from + size);
    lock.unlock();
    const bool ok = channel_.sendLasting({&head, 1}, body, owner, behind).ok();
    counters_.sent(size);
    lock.lock();
    if (!ok) {
      failed_ = true;
      channel_.shutdown();
    }
  }
  stopUsing(lock);
}

void Outbox::acknowledged(std::uint64_t position) {
  std::lock_guard lock(mutex_);
  speed_.acknowledged(Clock::now(), position);
}

std::optional<double> Outbox::lineSpeed() {
  std::lock_guard lock(mutex_);
  return speed_.bytesPerSecond();
}

std::size_t Outbox::bulkAtOnce() {
  const std::optional<double> speed = lineSpeed();
  if (!speed || *speed * kShortWait > wire::kMaxDataChunk) return wire::kMaxDataChunk;
  return std::max(kLeastAtOnce, static_cast<std::size_t>(*speed * kShortWait));
}

void Outbox::sendLeftovers() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || (!queued_.empty() && !busy_); });
    if (ending_) return;
    busy_ = true;
    stopUsing(lock);
    if (failed_) channel_.shutdown();
  }
}

}  // namespace hipr::worker
