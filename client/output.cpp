#include "client/output.h"

#include <chrono>

namespace hipr::client {
namespace {

constexpr std::chrono::milliseconds kMoment(200);  // nothing was taken for so long: somebody has paused

}  // namespace

void Output::finish() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  added_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Through stdio, so that it keeps its place among what the program itself prints.
void Output::writeToStdio(int stream, const std::string& text) {
  std::FILE* file = stream == 2 ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

void Output::add(int stream, std::span<const std::byte> text) {
  if (text.empty()) return;
  {
    std::lock_guard lock(mutex_);
    if (bytes_ >= kMost || text.size() > kMost - bytes_) {  // with a note it may be a little more already
      dropped_ += text.size();
      return;
    }
    if (dropped_) {
      const std::string note = "[" + std::to_string(dropped_) + " bytes of kernel output were dropped here]\n";
      dropped_ = 0;
      texts_.push_back({2, note});
      bytes_ += note.size();
      ++addedCount_;
    }
    texts_.push_back({stream, std::string(reinterpret_cast<const char*>(text.data()), text.size())});
    bytes_ += text.size();
    ++addedCount_;
    waiting_.store(true, std::memory_order_release);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  added_.notify_one();
}

void Output::settleAll() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = addedCount_;
  while (writtenCount_ < target && !stuck_) {
    const std::uint64_t before = writtenCount_;
    if (!written_.wait_for(lock, kMoment, [&] { return writtenCount_ != before; })) stuck_ = true;
  }
}

void Output::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return stopping_ || !texts_.empty(); });
    if (texts_.empty()) break;
    const Text next = std::move(texts_.front());
    texts_.pop_front();
    lock.unlock();
    write_(next.stream, next.text);
    lock.lock();
    bytes_ -= next.text.size();
    ++writtenCount_;
    stuck_ = false;
    waiting_.store(!texts_.empty(), std::memory_order_release);
    written_.notify_all();
  }
  if (!dropped_) return;
  lock.unlock();
  write_(2, "[the last " + std::to_string(dropped_) + " bytes of kernel output were dropped]\n");
}

}  // namespace hipr::client
