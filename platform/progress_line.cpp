#include "platform/progress_line.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "base/env.h"
#include "platform/process.h"
#include "platform/terminal.h"
#include "platform/thread.h"

namespace hipr::platform {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPatience{1000}, kPace{250};

std::mutex screenMutex;
const void* shown = nullptr;  // whose line is on the screen; under screenMutex

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string mebibytes(double bytes, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, bytes / (1 << 20));
  return text;
}

}  // namespace

bool progressIsSeen() {
  static const bool seen = envNumber("HIP_REMOTE_PROGRESS", 1, 0, 1) != 0 && errorColumns() > 0;
  return seen;
}

std::string amountMoved(const std::string& what, std::uint64_t moved, std::uint64_t total, double seconds) {
  const auto bytes = static_cast<double>(total == 0 ? moved : std::min(moved, total));
  const auto all = static_cast<double>(total);
  std::string text = what + ": " + mebibytes(bytes, "%.0f");
  text += total == 0 ? " MiB" : mebibytes(all, " of %.0f MiB");
  if (moved == 0 || seconds <= 0) return text;
  const double speed = bytes / seconds;
  text += mebibytes(speed, ", %.1f MiB/s");
  if (total != 0) text += ", " + std::to_string(static_cast<std::uint64_t>((all - bytes) / speed) + 1) + " s left";
  return text;
}

// The thread that writes, and what it needs. In a forked child there is no such thread: nothing is joined there.
class ProgressLine::Clerk {
 public:
  explicit Clerk(Text text) : text_(std::move(text)), process_(processId()), thread_([this] { run(); }) {}

  ~Clerk() {
    if (process_ != processId()) {
      thread_.detach();
      return;
    }
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  void run() {
    nameThisThread("hip-progress");
    const auto start = Clock::now();
    std::unique_lock lock(mutex_);
    for (auto next = start + kPatience; !changed_.wait_until(lock, next, [&] { return over_; }); next += kPace)
      draw(text_(secondsSince(start)));
    erase();
  }

  // The cursor goes back to the beginning, so that what the program writes meanwhile takes the place of the line.
  void draw(std::string line) {
    const std::size_t columns = errorColumns();
    std::lock_guard lock(screenMutex);
    if (columns == 0 || (shown != nullptr && shown != this)) return;
    shown = this;
    line = "[hip-remote] " + line;
    if (line.size() >= columns) line.resize(columns - 1);
    writeError("\r\033[K" + line + "\r");
  }
  void erase() {
    std::lock_guard lock(screenMutex);
    if (shown != this) return;
    shown = nullptr;
    writeError("\r\033[K");
  }

  const Text text_;
  const std::uint64_t process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  // under mutex_
  std::thread thread_;
};

ProgressLine::ProgressLine(Text text) {
  if (progressIsSeen()) clerk_ = std::make_unique<Clerk>(std::move(text));
}

ProgressLine::ProgressLine(const std::string& what)
    : ProgressLine([what](double seconds) { return what + " (" + std::to_string(static_cast<int>(seconds)) + " s)"; }) {
}

ProgressLine::ProgressLine() = default;
ProgressLine::~ProgressLine() = default;
ProgressLine::ProgressLine(ProgressLine&&) noexcept = default;
ProgressLine& ProgressLine::operator=(ProgressLine&&) noexcept = default;

}  // namespace hipr::platform
