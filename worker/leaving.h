// Memory that no message may name any more but that running work may still use. It is given back to the runtime when
// that work is finished, or earlier when the client uses the address again. The client does that only when it knows
// that the work is finished, while the thread here that waits for the same thing may be late. A client that lies about
// it makes its own work fault, as a kernel with a wrong address does; at worst that ends its own session.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hipr::worker {

class Leaving {
 public:
  Leaving(std::uint64_t begin, std::uint64_t size, std::function<void()> free)
      : begin_(begin), size_(size), free_(std::move(free)) {}

  // Returns when it is gone, whoever has freed it. A runtime may wait for the device first. Thread-safe.
  void free() {
    std::unique_lock lock(mutex_);
    if (state_ != State::kHere) return gone_.wait(lock, [this] { return state_ != State::kGoing; });
    state_ = State::kGoing;
    lock.unlock();
    free_();
    lock.lock();
    state_ = State::kGone;
    gone_.notify_all();
  }
  // Takes it back: it will not be freed. False when that has begun. Thread-safe.
  bool claim() {
    std::lock_guard lock(mutex_);
    if (state_ != State::kHere) return false;
    state_ = State::kGone;
    return true;
  }
  bool gone() const {
    std::lock_guard lock(mutex_);
    return state_ == State::kGone;
  }
  bool is(std::uint64_t begin, std::uint64_t size) const { return begin == begin_ && size == size_; }
  bool overlaps(std::uint64_t begin, std::uint64_t size) const {
    return begin < begin_ + size_ && begin_ < begin + size;
  }

 private:
  enum class State { kHere, kGoing, kGone };
  const std::uint64_t begin_, size_;
  const std::function<void()> free_;
  mutable std::mutex mutex_;
  std::condition_variable gone_;
  State state_ = State::kHere;
};

class LeavingList {
 public:
  std::shared_ptr<Leaving> add(std::uint64_t begin, std::uint64_t size, std::function<void()> free) {
    std::erase_if(list_, [](const auto& other) { return other.expired(); });
    auto leaving = std::make_shared<Leaving>(begin, size, std::move(free));
    list_.push_back(leaving);
    return leaving;
  }

  // The client wants exactly this range again: it is still there, and stays.
  bool claim(std::uint64_t begin, std::uint64_t size) {
    for (const auto& weak : list_) {
      if (const auto leaving = weak.lock(); leaving && leaving->is(begin, size) && leaving->claim()) return true;
    }
    return false;
  }

  // Frees what lies in the way. The device may have to finish something first, for which the caller does not wait: then
  // false, and it goes when it can.
  bool vacate(std::uint64_t begin, std::uint64_t size) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (const auto& weak : list_) {
      const auto leaving = weak.lock();
      if (!leaving || leaving->gone() || !leaving->overlaps(begin, size)) continue;
      late_.push_back(std::async(std::launch::async, [leaving] { leaving->free(); }));
      if (late_.back().wait_until(end) != std::future_status::ready) return false;
      late_.pop_back();
    }
    return true;
  }

 private:
  static constexpr std::chrono::seconds kPatience{2};
  std::vector<std::weak_ptr<Leaving>> list_;
  std::vector<std::future<void>> late_;
};

}  // namespace hipr::worker
