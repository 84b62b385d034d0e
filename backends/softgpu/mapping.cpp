#include "backends/softgpu/mapping.h"

#include <sys/mman.h>

namespace hipr::softgpu {

Mapping Mapping::make(std::size_t size) {
  Mapping out;
  size = roundUp(size, kPage);
  const std::size_t alignment = size >= kHugePage ? kHugePage : kPage;
  const std::size_t reserve = size + alignment;
  if (reserve < size) return out;
  void* memory = mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return out;
  out.reserved_ = memory;
  out.reservedSize_ = reserve;
  // Aligned down from the end less a guard page, so there is always one behind.
  const auto last = reinterpret_cast<std::uintptr_t>(memory) + reserve - kPage - size;
  auto* begin = reinterpret_cast<std::byte*>(last / alignment * alignment);
  if (mprotect(begin, size, PROT_READ | PROT_WRITE) != 0) return Mapping();
  if (alignment == kHugePage) madvise(begin, size, MADV_HUGEPAGE);
  out.begin_ = begin;
  out.size_ = size;
  return out;
}

Mapping::~Mapping() {
  if (reserved_ != nullptr) munmap(reserved_, reservedSize_);
}

}  // namespace hipr::softgpu
