// Output: what kernels printed, on its way to this program's stdout and stderr. A thread of its own writes it, because
// the thread that reads the connection must not wait for a pager that shows one page, or for a pipe that nobody reads.
// While nobody takes the output, it is kept up to a limit; what goes beyond is dropped, and a line in the output says
// how much. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>

namespace hipr::client {

class Output {
 public:
  static constexpr std::size_t kMost = 16 << 20;  // bytes that wait
  // Writes all of it, however long that takes; `stream` is 1 for stdout, 2 for stderr.
  using Write = std::function<void(int stream, const std::string& text)>;

  explicit Output(Write write = writeToStdio) : write_(std::move(write)) {}
  ~Output() { finish(); }
  void finish();  // waits until everything is written; nothing may be added any more

  void add(int stream, std::span<const std::byte> text);  // never waits
  // What was added before is written when this returns, so that what the program prints next comes behind it. While
  // nobody takes anything there is no order to keep, and this waits no longer than a moment, once.
  void settle() {
    if (waiting_.load(std::memory_order_acquire)) settleAll();
  }

 private:
  struct Text {
    int stream;
    std::string text;
  };

  static void writeToStdio(int stream, const std::string& text);
  void settleAll();
  void run();

  const Write write_;
  std::atomic<bool> waiting_{false};  // something has not been written yet

  std::mutex mutex_;  // guards what follows
  std::condition_variable added_, written_;
  std::deque<Text> texts_;
  std::size_t bytes_ = 0, dropped_ = 0;
  std::uint64_t addedCount_ = 0, writtenCount_ = 0;
  bool stuck_ = false, stopping_ = false;
  std::thread thread_;  // from the first text on
};

}  // namespace hipr::client
