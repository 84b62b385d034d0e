#include <sys/mman.h>

#include <algorithm>

#include "platform/memory.h"

namespace hipr::platform {

bool isMapped(const void* address, std::size_t size) {
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(address) + size;
  unsigned char residence[4096];  // a byte for each page
  for (std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) & ~(pageSize() - 1); at < end;) {
    const std::size_t bytes = std::min<std::size_t>(end - at, sizeof(residence) * pageSize());
    if (mincore(reinterpret_cast<void*>(at), bytes, residence) != 0) return false;
    at += bytes;
  }
  return true;
}

}  // namespace hipr::platform
