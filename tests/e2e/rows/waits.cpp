#include "tests/e2e/rows/waits.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

namespace hipr::rows {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kStep = 200us;
constexpr auto kExpected = 2ms;   // asleep that long: waiting, where a wait is expected
constexpr auto kSameWait = 50ms;  // and that long without a new question: still the same wait
constexpr auto kUnexpected = 1s;  // where none is expected
constexpr auto kSpinning = 5s;    // awake that long: waiting all the same

}  // namespace

WaitCounter::WaitCounter(Gate& gate, int expected)
    : gate_(gate), expected_(expected), thread_(gettid()), watcher_([this] { watch(); }) {}

int WaitCounter::stop() {
  over_ = true;
  if (watcher_.joinable()) watcher_.join();
  return waits_;
}

bool WaitCounter::asleep() const {
  std::ifstream in("/proc/self/task/" + std::to_string(thread_) + "/stat");
  std::string text;
  std::getline(in, text);
  const std::size_t name = text.rfind(')');
  return name != std::string::npos && name + 2 < text.size() && (text[name + 2] == 'S' || text[name + 2] == 'D');
}

void WaitCounter::watch() {
  Clock::time_point awake = Clock::now(), since = awake;
  std::uint64_t asked = 0;  // when a wait was last counted
  while (!over_) {
    std::this_thread::sleep_for(kStep);
    const auto now = Clock::now();
    if (!asleep()) awake = now;
    if (gate_.letting()) {
      awake = since = now;
      continue;
    }
    const bool newWait = waits_ == 0 || gate_.asked() != asked;
    const Clock::duration patience = !newWait             ? kSameWait
                                     : waits_ < expected_ ? Clock::duration(kExpected)
                                                          : kUnexpected;
    if (now - awake < patience && now - since < kSpinning) continue;
    if (over_) break;
    if (newWait) ++waits_;
    asked = gate_.asked();
    awake = since = now;
    gate_.letAnswerPass();
  }
}

}  // namespace hipr::rows
