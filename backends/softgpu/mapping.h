// Mapping: a stretch of this process's memory obtained from the system, owned. Zero at first touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace hipr::softgpu {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::size_t roundUp(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

class Mapping {
 public:
  Mapping() = default;
  // Readable and writable, with an unreadable page behind it that stops whatever runs past the end. Large ones are
  // aligned for huge pages. Empty when the system has no more.
  static Mapping make(std::size_t size);

  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Mapping();

  explicit operator bool() const { return begin_ != nullptr; }
  std::byte* begin() const { return begin_; }
  std::size_t size() const { return size_; }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(begin_); }

 private:
  void swap(Mapping& other) {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    std::swap(reserved_, other.reserved_);
    std::swap(reservedSize_, other.reservedSize_);
  }

  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  void* reserved_ = nullptr;
  std::size_t reservedSize_ = 0;
};

}  // namespace hipr::softgpu
