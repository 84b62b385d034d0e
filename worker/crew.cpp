#include "worker/crew.h"

#include <utility>

namespace hipr::worker {

Crew::Crew(net::Transport& transport, std::function<Delay()> read, std::function<Delay()> rest)
    : transport_(transport), read_(std::move(read)), rest_(std::move(rest)) {}

void Crew::finish() {
  std::vector<std::thread> members;
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    members.swap(members_);
  }
  for (std::size_t i = 0; i < members.size(); ++i) transport_.wake();
  for (std::thread& member : members) member.join();
  std::unique_lock lock(mutex_);
  while (!ready_.empty()) serveLane(lock);  // what was added when they had gone
}

void Crew::run(Delay first) {
  std::unique_lock lock(mutex_);
  delay_ = first;
  hire();
  ended_.wait(lock, [this] { return ending_; });
}

void Crew::add(const LanePtr& lane, std::function<void()> task) {
  std::lock_guard lock(mutex_);
  lane->tasks_.push_back(std::move(task));
  if (std::exchange(lane->served_, true)) return;
  ready_.push_back(lane);
  // The reader looks at ready_ itself when it has read everything.
  if (reader_.load(std::memory_order_relaxed) != std::this_thread::get_id()) summon();
}

bool Crew::hasTasks() {
  std::lock_guard lock(mutex_);
  return !ready_.empty();
}

void Crew::summon() {
  if (idle_ - called_ > 1) {
    ++called_;
    transport_.wake();
  } else {
    hire();
  }
}

void Crew::hire() {
  if (!ending_) members_.emplace_back([this] { serve(); });
}

void Crew::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!ready_.empty()) {
      serveLane(lock);
      continue;
    }
    if (ending_) return;
    const bool timed = delay_ >= 0 && !std::exchange(timed_, true);
    const int delay = timed ? delay_ : -1;
    ++idle_;
    lock.unlock();
    const net::Transport::Ready ready = transport_.await(delay);
    lock.lock();
    --idle_;
    if (timed) timed_ = false;
    if (ready == net::Transport::Ready::kWoken && called_ > 0) --called_;
    if (ending_ || ready == net::Transport::Ready::kWoken || (ready == net::Transport::Ready::kTimeout && !timed))
      continue;
    lock.unlock();
    work(ready);
    lock.lock();
  }
}

void Crew::serveLane(std::unique_lock<std::mutex>& lock) {
  const LanePtr lane = std::move(ready_.front());
  ready_.pop_front();
  while (!lane->tasks_.empty()) {
    std::function<void()> task = std::move(lane->tasks_.front());
    lane->tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
  lane->served_ = false;
}

void Crew::work(net::Transport::Ready ready) {
  Delay delay = kNever;
  {
    std::lock_guard reading(reading_);
    reader_ = std::this_thread::get_id();
    delay = ready == net::Transport::Ready::kInput ? read_() : rest_();
    reader_ = std::thread::id();
  }
  std::lock_guard lock(mutex_);
  if (delay == kEnd) {
    ending_ = true;
    ended_.notify_all();
    return;
  }
  delay_ = delay;
  // This thread serves one lane; for the others, and for the input, there must be somebody else.
  if (!ready_.empty() && idle_ - called_ < 1) hire();
  for (std::size_t i = 1; i < ready_.size(); ++i) summon();
  if (ready == net::Transport::Ready::kInput) transport_.watchAgain();
}

}  // namespace hipr::worker
