#include "backends/softgpu/stream_memory.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "backends/softgpu/commands.h"
#include "backends/softgpu/core.h"
#include "backends/softgpu/state.h"
#include "backends/softgpu/stream.h"

namespace hipr::softgpu {

using std::chrono::microseconds;

WordWaits::~WordWaits() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void WordWaits::add(std::function<bool()> over, std::function<void()> done) {
  {
    const std::lock_guard lock(mutex_);
    fresh_.push_back({std::move(over), std::move(done)});
    count_.fetch_add(1, std::memory_order_release);
    if (!thread_.joinable()) thread_ = std::thread([this] { look(); });
  }
  wake_.notify_one();
}

void WordWaits::look() {
  constexpr microseconds kOften(20), kSeldom(500);
  std::vector<Wait> waits;
  microseconds pause = kOften;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto woken = [&] { return ending_ || !fresh_.empty(); };
      if (waits.empty()) {
        wake_.wait(lock, woken);
      } else {
        wake_.wait_for(lock, pause, woken);
      }
      if (ending_) return;
      if (!fresh_.empty()) pause = kOften;
      std::move(fresh_.begin(), fresh_.end(), std::back_inserter(waits));
      fresh_.clear();
    }
    const auto over = std::stable_partition(waits.begin(), waits.end(), [](const Wait& wait) { return !wait.over(); });
    std::vector<Wait> finished(std::make_move_iterator(over), std::make_move_iterator(waits.end()));
    waits.erase(over, waits.end());
    count_.fetch_sub(static_cast<int>(finished.size()), std::memory_order_release);
    for (Wait& wait : finished) wait.done();
    pause = finished.empty() ? std::min(kSeldom, pause * 2) : kOften;
  }
}

namespace {

// One step after the other; where one has to wait, it goes on when somebody has seen that it need not any more.
class WordCommand : public Command {
 public:
  WordCommand(Device& device, std::span<const WordStep> steps) : device_(device), steps_(steps.begin(), steps.end()) {}

 protected:
  void start(Starter) override {
    for (; next_ < steps_.size(); ++next_) {
      const WordStep& step = steps_[next_];
      if (over(step)) continue;
      const auto self = std::static_pointer_cast<WordCommand>(shared_from_this());
      return state().wordWaits.add([self, &step] { return self->over(step); },
                                   [self] { self->start(Starter::kOther); });
    }
    finish();
  }

 private:
  bool over(const WordStep& step) {
    return device_.skipsWork() || (step.bytes == 8 ? perform<std::uint64_t>(step) : perform<std::uint32_t>(step));
  }

  template <class Word>
  static bool perform(const WordStep& step) {
    const auto address = reinterpret_cast<std::uint64_t>(step.address);
    std::atomic_ref word(*reinterpret_cast<Word*>(address + state().regions.shiftAt(address)));
    const auto value = static_cast<Word>(step.value);
    switch (step.action) {
      case WordAction::kWrite:
        word.store(value);
        return true;
      case WordAction::kAdd:
        word.fetch_add(value);
        return true;
      case WordAction::kSubtract:
        word.fetch_sub(value);
        return true;
      default:
        return satisfied(step.action, word.load(), value, static_cast<Word>(step.mask));
    }
  }

  Device& device_;
  const std::vector<WordStep> steps_;
  std::size_t next_ = 0;
};

}  // namespace

CommandPtr wordCommand(Device& device, const WordSteps& steps) {
  return std::make_shared<WordCommand>(device, steps.list);
}

hipError_t SoftgpuCore::perform(const WordSteps& work, Stream& stream, Stage) {
  Device& device = state().device(stream.device);
  if (device.failure() != hipSuccess) return device.failure();
  queueOf(stream).submit(wordCommand(device, work));
  return hipSuccess;
}

}  // namespace hipr::softgpu
