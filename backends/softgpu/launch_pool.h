// Memory for what a launch passes to its kernel: argument segment, dispatch packet, printf buffer. Kernels read it like
// any other memory, so it lies in the address space; blocks are reused as soon as their kernel is done. It is host
// memory, on a discrete device too.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/softgpu/address_space.h"
#include "backends/softgpu/mapping.h"

namespace hipr::softgpu {

class LaunchPool {
 public:
  LaunchPool(RegionTable& regions, int device) : regions_(regions), device_(device) {}

  // A block, aligned to its own size; returned when it goes out of scope.
  class Block {
   public:
    Block() = default;
    Block(LaunchPool* pool, std::byte* begin, std::size_t sizeClass) : pool_(pool), begin_(begin), class_(sizeClass) {}
    Block(Block&& other) noexcept { swap(other); }
    Block& operator=(Block&& other) noexcept {
      swap(other);
      return *this;
    }
    ~Block() {
      if (begin_ != nullptr) pool_->put(begin_, class_);
    }
    explicit operator bool() const { return begin_ != nullptr; }
    std::byte* begin() const { return begin_; }
    std::size_t size() const { return kSmallest << class_; }

   private:
    void swap(Block& other) {
      std::swap(pool_, other.pool_);
      std::swap(begin_, other.begin_);
      std::swap(class_, other.class_);
    }
    LaunchPool* pool_ = nullptr;
    std::byte* begin_ = nullptr;
    std::size_t class_ = 0;
  };

  static constexpr std::size_t kMaxBlock = std::size_t{64} << 20;
  Block take(std::size_t size);  // empty when there is no memory. REQUIRES: size <= kMaxBlock

 private:
  static constexpr std::size_t kSmallest = 512;
  static constexpr std::size_t kClasses = 18;  // 512 bytes … 64 MiB
  static_assert(kSmallest << (kClasses - 1) == kMaxBlock);

  void put(std::byte* block, std::size_t sizeClass);
  bool grow(std::size_t sizeClass);

  RegionTable& regions_;
  const int device_;
  std::mutex mutex_;
  std::array<std::vector<std::byte*>, kClasses> free_;
  std::vector<Mapping> chunks_;
};

}  // namespace hipr::softgpu
