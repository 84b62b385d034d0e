#include "backends/softgpu/mapping.h"

#include <sys/mman.h>

namespace hipr::softgpu {
namespace {

std::size_t alignmentFor(std::size_t size) {
  return size >= kHugePage ? kHugePage : kPage;
}

}  // namespace

AddressStretch AddressStretch::reserve(std::size_t size) {
  AddressStretch out;
  const std::size_t alignment = alignmentFor(size), reserve = size + alignment;
  if (reserve < size) return out;
  void* memory = mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return out;
  out.reserved_ = memory;
  out.reservedSize_ = reserve;
  // Aligned down from the end less a guard page, so there is always one behind.
  const auto last = reinterpret_cast<std::uintptr_t>(memory) + reserve - kPage - size;
  out.begin_ = reinterpret_cast<std::byte*>(last / alignment * alignment);
  return out;
}

AddressStretch::~AddressStretch() {
  if (reserved_ != nullptr) munmap(reserved_, reservedSize_);
}

bool AddressStretch::makeReadable(std::size_t size) {
  if (mprotect(begin_, size, PROT_READ | PROT_WRITE) != 0) return false;
  if (alignmentFor(size) == kHugePage) madvise(begin_, size, MADV_HUGEPAGE);
  return true;
}

Mapping Mapping::make(std::size_t size, Reach reach) {
  Mapping out;
  size = roundUp(size, kPage);
  out.addresses_ = AddressStretch::reserve(size);
  if (reach == Reach::kDeviceOnly) out.elsewhere_ = AddressStretch::reserve(size);
  AddressStretch& bytes = reach == Reach::kDeviceOnly ? out.elsewhere_ : out.addresses_;
  if (!out.addresses_ || !bytes || !bytes.makeReadable(size)) return Mapping();
  out.size_ = size;
  return out;
}

Mapping Mapping::of(MemoryFile file, Reach reach) {
  Mapping out = make(file.size(), reach);
  if (!out || file.size() != out.size_ || !file.mapAt(reinterpret_cast<std::uint64_t>(out.bytes()), out.size_, 0))
    return Mapping();
  out.file_ = std::move(file);
  return out;
}

const MemoryFile& Mapping::share() {
  if (file_) return file_;
  MemoryFile made = MemoryFile::make(size_);
  if (made && made.fill(bytes()) && made.mapAt(reinterpret_cast<std::uint64_t>(bytes()), size_, 0))
    file_ = std::move(made);
  return file_;
}

}  // namespace hipr::softgpu
