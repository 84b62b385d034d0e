#include "platform/memory.h"

#include <sys/mman.h>
#include <unistd.h>

// Linux 4.17 can refuse to replace what is there. Elsewhere the address is a hint, which is followed when it is free.
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif

namespace hipr::platform {
namespace {

constexpr int kPages = MAP_PRIVATE | MAP_ANONYMOUS;
constexpr int kReserved = kPages | MAP_NORESERVE;

void* map(void* base, std::size_t size, int protection, int flags) {
  void* const got = mmap(base, size, protection, flags, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

}  // namespace

const std::uint64_t kMostReserved = std::uint64_t{8} << 40;

std::size_t pageSize() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::uint64_t physicalMemory() {
  static const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  return pages * pageSize();
}

void* reserve(std::size_t size) {
  return map(nullptr, size, PROT_NONE, kReserved);
}

bool reserveAt(void* base, std::size_t size) {
  void* const got = map(base, size, PROT_NONE, kReserved | MAP_FIXED_NOREPLACE);
  if (got == base) return got != nullptr;
  if (got != nullptr) munmap(got, size);  // a hint only, and something is there
  return false;
}

void release(void* base, std::size_t size) {
  munmap(base, size);
}

bool commit(void* address, std::size_t size) {
  return mprotect(address, size, PROT_READ | PROT_WRITE) == 0;
}

void decommit(void* address, std::size_t size) {
  map(address, size, PROT_NONE, kReserved | MAP_FIXED);
}

void* allocatePages(std::size_t size) {
  return map(nullptr, size, PROT_READ | PROT_WRITE, kPages);
}

void freePages(void* address, std::size_t size) {
  munmap(address, size);
}

}  // namespace hipr::platform
