// A reserved range of this process's addresses. Nothing is readable in it until commit() makes pages of it memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hipr::client {

class AddressRange {
 public:
  AddressRange() = default;
  AddressRange(AddressRange&& other) noexcept;
  AddressRange& operator=(AddressRange&& other) noexcept;
  ~AddressRange();

  // Reserves exactly [base, base + size); false when something is there already.
  bool reserve(std::uint64_t base, std::uint64_t size);
  bool commit(std::uint64_t address, std::size_t size);    // zero-filled, readable and writable
  void decommit(std::uint64_t address, std::size_t size);  // gives the pages back

  std::uint64_t base() const { return base_; }
  std::uint64_t size() const { return size_; }
  bool contains(std::uint64_t address) const { return address - base_ < size_; }

 private:
  std::uint64_t base_ = 0, size_ = 0;
};

}  // namespace hipr::client
