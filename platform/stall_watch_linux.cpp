#include "platform/stall_watch.h"

#include <pthread.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <utility>

#include "base/log.h"

namespace hipr {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(100);

// The letter after the command name in /proc/self/task/N/stat; S and D are kinds of sleep.
bool asleep(int thread) {
  std::string line;
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::getline(stat, line);
  const std::size_t name = line.rfind(')');
  return name != std::string::npos && name + 2 < line.size() && (line[name + 2] == 'S' || line[name + 2] == 'D');
}

std::chrono::nanoseconds processorTime(pthread_t thread) {
  clockid_t clock;
  timespec spent{};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &spent) != 0) return {};
  return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
}

}  // namespace

StallWatch::StallWatch(std::chrono::milliseconds patience, std::string complaint)
    : patience_(patience), complaint_(std::move(complaint)), thread_([this] { look(); }) {}

StallWatch::~StallWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StallWatch::begin() {
  const std::lock_guard lock(mutex_);
  watched_ = pthread_self();
  watchedId_ = gettid();
  spentBefore_ = processorTime(watched_);
  running_ = true;
  ++stretch_;
  changed_.notify_one();
}

void StallWatch::end() {
  const std::lock_guard lock(mutex_);
  running_ = false;
  changed_.notify_one();
}

bool StallWatch::waits() const {
  return asleep(watchedId_) || processorTime(watched_) - spentBefore_ >= patience_;
}

void StallWatch::look() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    changed_.wait(lock, [this] { return ending_ || running_; });
    const auto over = [this, stretch = stretch_] { return ending_ || !running_ || stretch_ != stretch; };
    for (auto patience = patience_; !changed_.wait_for(lock, patience, over); patience = kLookAgain) {
      if (!waits()) continue;
      logAndAbort("%s has not returned for %d ms", complaint_.c_str(), static_cast<int>(patience_.count()));
    }
  }
}

}  // namespace hipr
