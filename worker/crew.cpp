#include "worker/crew.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hipr::worker {

namespace {

// Of the patrol: it looks soon again after it has found something, and sleeps longer than it looks.
constexpr std::chrono::microseconds kShortestPause(50), kLongestPause(2000);
constexpr int kSleepsToLooks = 15;

}  // namespace

Crew::Crew(net::Transport& transport, std::function<Delay()> read, std::function<Delay()> rest, std::size_t mostMembers,
           std::atomic<std::uint64_t>* shown)
    : transport_(transport),
      read_(std::move(read)),
      rest_(std::move(rest)),
      mostMembers_(std::max<std::size_t>(mostMembers, 2)),
      shown_(shown) {}

void Crew::finish() {
  std::vector<std::thread> members;
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    members.swap(members_);
    if (patrol_.joinable()) members.push_back(std::move(patrol_));
  }
  patrolCalled_.notify_all();
  for (std::size_t i = 0; i < members.size(); ++i) transport_.wake();
  for (std::thread& member : members) member.join();
  std::unique_lock lock(mutex_);
  while (!ready_.empty()) serveSeries(lock);  // what was added when they had gone
}

void Crew::run(Delay first) {
  std::unique_lock lock(mutex_);
  delay_ = first;
  hire();
  ended_.wait(lock, [this] { return ending_; });
}

void Crew::add(const SeriesPtr& series, std::function<void()> task, std::function<bool()> due) {
  std::lock_guard lock(mutex_);
  series->tasks_.push_back({std::move(task), std::move(due)});
  if (std::exchange(series->served_, true)) return;
  ready_.push_back(series);
  // The reader looks at ready_ itself when it has read everything.
  if (reader_.load(std::memory_order_relaxed) != std::this_thread::get_id()) summon();
}

bool Crew::hasTasks() {
  std::lock_guard lock(mutex_);
  return !ready_.empty();
}

bool Crew::busy() {
  std::lock_guard lock(mutex_);
  return static_cast<int>(members_.size()) > idle_ + left_;
}

void Crew::delegate() {
  std::lock_guard lock(mutex_);
  for (; delegated_ < ready_.size(); ++delegated_) summon();
}

void Crew::summon() {
  if (idle_ - called_ > 1) {
    ++called_;
    transport_.wake();
  } else if (!hire()) {
    callPatrol();
  }
}

bool Crew::hire() {
  if (ending_ || members_.size() >= mostMembers_) return false;
  ++coming_;
  members_.emplace_back([this] { serve(); });
  if (shown_) shown_->fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Crew::callPatrol() {
  if (ending_) return;
  if (!patrol_.joinable()) patrol_ = std::thread([this] { patrol(); });
  patrolCalled_.notify_one();
}

void Crew::serve() {
  std::unique_lock lock(mutex_);
  --coming_;
  for (;;) {
    if (!ready_.empty()) {
      // Whoever waits here does not see input; somebody else must.
      if (ending_ || watched() || hire()) {
        serveSeries(lock);
        continue;
      }
      callPatrol();
    }
    if (ending_) {
      ++left_;
      return;
    }
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

void Crew::serveSeries(std::unique_lock<std::mutex>& lock) {
  const SeriesPtr series = std::move(ready_.front());
  ready_.pop_front();
  if (delegated_ > 0) --delegated_;
  while (!series->tasks_.empty()) runFirst(*series, lock);
  series->served_ = false;
}

void Crew::runFirst(Series& series, std::unique_lock<std::mutex>& lock) {
  Series::Task task = std::move(series.tasks_.front());
  series.tasks_.pop_front();
  lock.unlock();
  task.run();
  task = {};
  lock.lock();
}

void Crew::patrol() {
  std::deque<SeriesPtr> mine;  // nobody else looks after them
  auto pause = kShortestPause;
  std::unique_lock lock(mutex_);
  while (!ending_) {
    while (!ready_.empty()) {
      mine.push_back(std::move(ready_.front()));
      ready_.pop_front();
    }
    delegated_ = 0;
    bool any = false;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t left = mine.size(); left > 0 && !ending_; --left) {
      const SeriesPtr series = std::move(mine.front());
      mine.pop_front();
      const std::function<bool()> due = series->tasks_.front().due;
      lock.unlock();
      const bool now = !due || due();
      lock.lock();
      if (now) runFirst(*series, lock);
      any |= now;
      if (series->tasks_.empty()) {
        series->served_ = false;
      } else {
        mine.push_back(series);
      }
    }
    const auto took = std::chrono::ceil<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    pause = any ? kShortestPause : std::max(std::min(2 * pause, kLongestPause), kSleepsToLooks * took);
    if (ending_ || any) continue;
    if (mine.empty()) {
      patrolCalled_.wait(lock, [this] { return ending_ || !ready_.empty(); });
    } else {
      patrolCalled_.wait_for(lock, pause);
    }
  }
  ready_.insert(ready_.end(), mine.begin(), mine.end());  // finish() sees to them
}

void Crew::work(net::Transport::Ready ready) {
  const bool input = ready == net::Transport::Ready::kInput;
  std::unique_lock lock(mutex_, std::defer_lock);
  do {
    if (lock) lock.unlock();
    Delay delay = kNever;
    {
      std::lock_guard reading(reading_);
      reader_ = std::this_thread::get_id();
      delay = input ? read_() : rest_();
      reader_ = std::thread::id();
    }
    lock.lock();
    if (delay == kEnd) {
      ending_ = true;
      ended_.notify_all();
      return;
    }
    delay_ = delay;
  } while (input && !transport_.watchAgain());
  // This thread serves one series; for the others, and for the input, there must be somebody else.
  if (!ready_.empty() && !watched()) (void)hire();
  for (std::size_t i = 1; i < ready_.size(); ++i) summon();
}

}  // namespace hipr::worker
