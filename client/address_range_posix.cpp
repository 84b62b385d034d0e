#include <sys/mman.h>

#include <utility>

#include "client/address_range.h"

namespace hipr::client {
namespace {

constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace

AddressRange::AddressRange(AddressRange&& other) noexcept
    : base_(std::exchange(other.base_, 0)), size_(std::exchange(other.size_, 0)) {}

AddressRange& AddressRange::operator=(AddressRange&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  return *this;
}

AddressRange::~AddressRange() {
  if (size_) munmap(pointer(base_), size_);
}

bool AddressRange::reserve(std::uint64_t base, std::uint64_t size) {
  void* got = mmap(pointer(base), size, PROT_NONE, kReserved | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return false;
  if (got != pointer(base)) {  // kernels before 4.17 take the flag for a hint
    munmap(got, size);
    return false;
  }
  if (size_) munmap(pointer(base_), size_);
  base_ = base;
  size_ = size;
  return true;
}

bool AddressRange::commit(std::uint64_t address, std::size_t size) {
  return mprotect(pointer(address), size, PROT_READ | PROT_WRITE) == 0;
}

void AddressRange::decommit(std::uint64_t address, std::size_t size) {
  mmap(pointer(address), size, PROT_NONE, kReserved | MAP_FIXED, -1, 0);
}

}  // namespace hipr::client
