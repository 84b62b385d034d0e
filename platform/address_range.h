// A reserved range of this process's addresses. Nothing is readable in it until commit() makes pages of it memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "platform/memory.h"

namespace hipr::platform {

class AddressRange {
 public:
  AddressRange() = default;
  AddressRange(AddressRange&& other) noexcept
      : base_(std::exchange(other.base_, 0)), size_(std::exchange(other.size_, 0)) {}
  AddressRange& operator=(AddressRange&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~AddressRange() { giveBack(); }

  // Reserves exactly [base, base + size); false when something is there already.
  bool reserve(std::uint64_t base, std::uint64_t size) {
    if (!reserveAt(pointer(base), size)) return false;
    take(base, size);
    return true;
  }
  // Reserves `size` bytes wherever the system has room for them.
  bool reserveAnywhere(std::uint64_t size) {
    void* const base = platform::reserve(size);
    if (base != nullptr) take(reinterpret_cast<std::uint64_t>(base), size);
    return base != nullptr;
  }

  // REQUIRES: whole pages of the range.
  bool commit(std::uint64_t address, std::size_t size) { return platform::commit(pointer(address), size); }
  void decommit(std::uint64_t address, std::size_t size) { platform::decommit(pointer(address), size); }

  std::uint64_t base() const { return base_; }
  std::uint64_t size() const { return size_; }
  bool contains(std::uint64_t address) const { return address - base_ < size_; }

 private:
  static void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }
  void giveBack() {
    if (size_) release(pointer(base_), size_);
  }
  void take(std::uint64_t base, std::uint64_t size) {
    giveBack();
    base_ = base;
    size_ = size;
  }

  std::uint64_t base_ = 0, size_ = 0;
};

}  // namespace hipr::platform
