// Memory that no message may name any more but that running work may still use. It is given back when that work is
// finished, or earlier when the client uses the address again: it does that only once it knows the work is finished,
// while the thread that waits for the same thing may be late.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hipr::worker {

class Leaving {
 public:
  Leaving(std::uint64_t begin, std::uint64_t size, std::function<void()> free)
      : begin_(begin), size_(size), free_(std::move(free)) {}

  void free() { std::call_once(once_, free_); }  // thread-safe
  bool overlaps(std::uint64_t begin, std::uint64_t size) const {
    return begin < begin_ + size_ && begin_ < begin + size;
  }

 private:
  const std::uint64_t begin_, size_;
  const std::function<void()> free_;
  std::once_flag once_;
};

class LeavingList {
 public:
  std::shared_ptr<Leaving> add(std::uint64_t begin, std::uint64_t size, std::function<void()> free) {
    std::erase_if(list_, [](const auto& other) { return other.expired(); });
    auto leaving = std::make_shared<Leaving>(begin, size, std::move(free));
    list_.push_back(leaving);
    return leaving;
  }
  void freeOverlapping(std::uint64_t begin, std::uint64_t size) {
    for (const auto& weak : list_) {
      if (const auto leaving = weak.lock(); leaving && leaving->overlaps(begin, size)) leaving->free();
    }
  }

 private:
  std::vector<std::weak_ptr<Leaving>> list_;
};

}  // namespace hipr::worker
