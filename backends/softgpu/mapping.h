// Mapping: a stretch of this process's memory obtained from the system, owned. Zero at first touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "backends/softgpu/memory_file.h"

namespace hipr::softgpu {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::size_t roundUp(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

// Who finds the bytes at the addresses that kernels use: everybody, or kernels alone. In the second case the pages at
// those addresses cannot be touched, and the bytes lie elsewhere (discrete.h).
enum class Reach : std::uint8_t { kCpu, kDeviceOnly };

// Addresses that nobody else will use, given back at the end.
class AddressStretch {
 public:
  AddressStretch() = default;
  // Untouchable at first. Aligned for huge pages when it is large, and an untouchable page follows. Empty when the
  // system has no more.
  static AddressStretch reserve(std::size_t size);

  AddressStretch(AddressStretch&& other) noexcept { swap(other); }
  AddressStretch& operator=(AddressStretch&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AddressStretch();

  explicit operator bool() const { return begin_ != nullptr; }
  std::byte* begin() const { return begin_; }
  bool makeReadable(std::size_t size);  // and writable

 private:
  void swap(AddressStretch& other) {
    std::swap(begin_, other.begin_);
    std::swap(reserved_, other.reserved_);
    std::swap(reservedSize_, other.reservedSize_);
  }

  std::byte* begin_ = nullptr;
  void* reserved_ = nullptr;
  std::size_t reservedSize_ = 0;
};

class Mapping {
 public:
  Mapping() = default;
  // With an unreadable page behind it that stops whatever runs past the end. Empty when the system has no more.
  static Mapping make(std::size_t size, Reach reach = Reach::kCpu);
  static Mapping of(MemoryFile file, Reach reach);  // what another process shares

  // The file that other processes can map, with the same bytes; empty when the system has no more. REQUIRES: nobody
  // touches them the first time.
  const MemoryFile& share();

  explicit operator bool() const { return size_ != 0; }
  std::size_t size() const { return size_; }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(addresses_.begin()); }  // for kernels
  std::byte* bytes() const { return elsewhere_ ? elsewhere_.begin() : addresses_.begin(); }      // for this process
  std::uint64_t shift() const { return reinterpret_cast<std::uint64_t>(bytes()) - address(); }

  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    swap(other);
    return *this;
  }

 private:
  void swap(Mapping& other) {
    std::swap(addresses_, other.addresses_);
    std::swap(elsewhere_, other.elsewhere_);
    std::swap(file_, other.file_);
    std::swap(size_, other.size_);
  }

  AddressStretch addresses_, elsewhere_;
  MemoryFile file_;  // where the bytes are, if other processes can have them
  std::size_t size_ = 0;
};

}  // namespace hipr::softgpu
