#include "platform/memory.h"
#include "platform/windows.h"

namespace hipr::platform {
namespace {

SYSTEM_INFO systemInfo() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info;
}

}  // namespace

const std::uint64_t kMostReserved = std::uint64_t{1} << 40;

std::size_t pageSize() {
  static const std::size_t size = systemInfo().dwPageSize;
  return size;
}

std::uint64_t physicalMemory() {
  static const std::uint64_t bytes = [] {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
  }();
  return bytes;
}

void* reserve(std::size_t size) {
  return VirtualAlloc(nullptr, size, MEM_RESERVE, PAGE_NOACCESS);
}

bool reserveAt(void* base, std::size_t size) {
  void* const got = VirtualAlloc(base, size, MEM_RESERVE, PAGE_NOACCESS);
  if (got == base) return got != nullptr;
  if (got != nullptr) VirtualFree(got, 0, MEM_RELEASE);  // rounded down: not where it was wanted
  return false;
}

void release(void* base, std::size_t) {
  VirtualFree(base, 0, MEM_RELEASE);
}

bool commit(void* address, std::size_t size) {
  return VirtualAlloc(address, size, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

void decommit(void* address, std::size_t size) {
  VirtualFree(address, size, MEM_DECOMMIT);
}

void* allocatePages(std::size_t size) {
  return VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void freePages(void* address, std::size_t) {
  VirtualFree(address, 0, MEM_RELEASE);
}

bool isMapped(const void* address, std::size_t size) {
  const char* at = static_cast<const char*>(address);
  for (const char* const end = at + size; at < end;) {
    MEMORY_BASIC_INFORMATION info;
    if (VirtualQuery(at, &info, sizeof info) == 0) return false;
    if (info.State != MEM_COMMIT || (info.Protect & (PAGE_NOACCESS | PAGE_GUARD)) != 0) return false;
    at = static_cast<const char*>(info.BaseAddress) + info.RegionSize;
  }
  return true;
}

}  // namespace hipr::platform
