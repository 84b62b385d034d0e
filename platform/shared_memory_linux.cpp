#include <fcntl.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include "platform/shared_memory.h"

namespace hipr::platform {
namespace {

constexpr int kFixedSize = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Status failure(const char* what) {
  return Status::unavailable(std::string("shared memory: ") + what + ": " + std::strerror(errno));
}

}  // namespace

const bool kCanShareMemory = true;

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  if (open()) ::close(descriptor_);
}

Status SharedMemory::make(std::size_t size, SharedMemory& out) {
  SharedMemory made;
  made.descriptor_ = ::memfd_create("hip-remote", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (!made.open()) return failure("memfd_create");
  if (::ftruncate(made.descriptor_, static_cast<off_t>(size)) != 0) return failure("ftruncate");
  if (::fcntl(made.descriptor_, F_ADD_SEALS, kFixedSize) != 0) return failure("sealing");
  out = std::move(made);
  return {};
}

Status SharedMemory::take(int descriptor, std::size_t size, SharedMemory& out) {
  SharedMemory taken;
  taken.descriptor_ = descriptor;
  const int seals = ::fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & kFixedSize) != kFixedSize) return Status::invalid("shared memory whose size may change");
  // Pages of ordinary size: huge ones may not be there when they are touched.
  struct statfs system{};
  if (::fstatfs(descriptor, &system) != 0 || system.f_type != TMPFS_MAGIC)
    return Status::invalid("shared memory of an unknown kind");
  struct stat info{};
  if (::fstat(descriptor, &info) != 0 || info.st_size < 0 || static_cast<std::size_t>(info.st_size) != size)
    return Status::invalid("shared memory of another size");
  out = std::move(taken);
  return {};
}

Status SharedMemory::map() {
  struct stat info{};
  if (::fstat(descriptor_, &info) != 0) return failure("fstat");
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (address == MAP_FAILED) return failure("mmap");
  bytes_ = {static_cast<std::byte*>(address), size};
  return {};
}

Status SharedMemory::mapOver(void* address, std::size_t size) const {
  const bool mapped = ::mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_, 0) == address;
  return mapped ? Status{} : failure("mmap");
}

void sleepWhile(const std::atomic<std::uint32_t>& word, std::uint32_t value, int milliseconds) {
  const timespec limit{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wakeSleepers(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace hipr::platform
