#include "mirror/heartbeat.h"

#include <algorithm>

namespace hipr::mirror {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kShortest(200), kLongest(1000);
constexpr int kShare = 9;  // pauses are at least this many times as long as steps

}  // namespace

Heartbeat::Heartbeat(std::function<bool()> wanted, std::function<bool()> step)
    : wanted_(std::move(wanted)), step_(std::move(step)) {}

void Heartbeat::start() {
  if (started_.load()) return;
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  started_ = true;
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void Heartbeat::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Heartbeat::run() {
  std::unique_lock lock(mutex_);
  Clock::duration pause = kShortest;
  while (!stopping_) {
    if (!started_) {
      changed_.wait(lock, [this] { return started_ || stopping_; });
      pause = kShortest;
    }
    changed_.wait_for(lock, pause, [this] { return stopping_; });
    if (stopping_) return;
    lock.unlock();
    started_ = false;  // before asking: work that begins now starts it again
    if (wanted_()) {
      started_ = true;
      const Clock::time_point begin = Clock::now();
      const bool found = step_();
      pause = found ? Clock::duration(kShortest) : std::min<Clock::duration>(2 * pause, kLongest);
      pause = std::max(pause, kShare * (Clock::now() - begin));
    }
    lock.lock();
  }
}

}  // namespace hipr::mirror
