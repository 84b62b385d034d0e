// Which streams come behind which, as far as memory pools want to know: memory freed on one stream may be given to
// another at once if that one has waited for an event recorded behind the free. Only direct waits count, which is
// enough to be useful; forgetting some costs nothing but a reuse. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace hipr {

// A moment in the life of a stream: the higher tick comes later.
struct StreamTick {
  std::uint64_t stream = 0;  // its id; 0: nowhere
  std::uint64_t tick = 0;
};

class StreamOrder {
 public:
  std::uint64_t step() {  // something that others may wait for, or want to be behind
    std::lock_guard lock(mutex_);
    return ++tick_;
  }
  void follow(const StreamTick& other) {
    std::lock_guard lock(mutex_);
    if (follows_.size() >= kMost) follows_.clear();
    std::uint64_t& tick = follows_[other.stream];
    if (tick < other.tick) tick = other.tick;
  }
  bool follows(const StreamTick& other) const {
    std::lock_guard lock(mutex_);
    const auto found = follows_.find(other.stream);
    return found != follows_.end() && found->second > other.tick;
  }

 private:
  static constexpr std::size_t kMost = 256;  // streams may come and go for ever

  mutable std::mutex mutex_;
  std::uint64_t tick_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> follows_;  // stream → tick
};

// Where an event was recorded last.
class RecordPlace {
 public:
  void set(const StreamTick& place) {
    std::lock_guard lock(mutex_);
    place_ = place;
  }
  StreamTick get() const {
    std::lock_guard lock(mutex_);
    return place_;
  }

 private:
  mutable std::mutex mutex_;
  StreamTick place_;
};

}  // namespace hipr
