#include "backends/softgpu/usage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <new>

namespace hipr::softgpu {
namespace {

void* mapPage(int flags, int fd) {
  void* const memory = mmap(nullptr, sizeof(UsagePage), PROT_READ | PROT_WRITE, flags, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Ours alone, so that nobody else can put a page or a link there; or root's, for a worker's sessions.
bool prepareFolder(const std::string& folder) {
  if (folder.empty()) return false;
  mkdir(folder.c_str(), 0700);
  struct stat info{};
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && (info.st_uid == geteuid() || info.st_uid == 0);
}

void describeProcess(UsagePage& page) {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  path[size > 0 ? size : 0] = 0;
  const char* const slash = std::strrchr(path, '/');
  std::snprintf(page.program, sizeof page.program, "%.*s", static_cast<int>(sizeof page.program) - 1,
                slash ? slash + 1 : path);
  page.process = static_cast<std::uint64_t>(getpid());
  page.started = processStartTicks(page.process);
}

}  // namespace

Usage::Usage(std::size_t devices) : process_(getpid()) {
  if (publish(devices)) return;
  path_.clear();
  page_ = static_cast<UsagePage*>(mapPage(MAP_PRIVATE | MAP_ANONYMOUS, -1));
  if (page_ == nullptr) throw std::bad_alloc();
}

Usage::~Usage() {
  withdraw();
  munmap(page_, sizeof(UsagePage));
}

bool Usage::publish(std::size_t devices) {
  const std::string folder = usageFolder();
  if (!prepareFolder(folder)) return false;
  removeDeadUsage(folder);
  path_ = folder + "/" + std::to_string(process_);
  unlink(path_.c_str());  // of an earlier program in this process, before it called exec
  const int fd = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (fd < 0) return false;
  // posix_fallocate, not ftruncate: a full /dev/shm is found out here and not by a signal later.
  const bool sized = posix_fallocate(fd, 0, sizeof(UsagePage)) == 0;
  page_ = sized ? static_cast<UsagePage*>(mapPage(MAP_SHARED, fd)) : nullptr;
  close(fd);
  if (page_ == nullptr) {
    unlink(path_.c_str());
    return false;
  }
  describeProcess(*page_);
  page_->devices = static_cast<std::uint32_t>(devices);
  page_->magic.store(UsagePage::kMagic, std::memory_order_release);
  return true;
}

void Usage::withdraw() {
  if (!path_.empty() && process_ == getpid()) unlink(path_.c_str());
}

void DeviceMeter::kernelStarted() {
  const std::lock_guard lock(mutex_);
  if (running_++ == 0) usage_.busy.store(DeviceUsage::kRunning | (monotonicNs() - busyNs_), std::memory_order_relaxed);
}

void DeviceMeter::kernelEnded() {
  const std::lock_guard lock(mutex_);
  usage_.kernels.fetch_add(1, std::memory_order_relaxed);
  if (--running_ != 0) return;
  busyNs_ = monotonicNs() - (usage_.busy.load(std::memory_order_relaxed) & ~DeviceUsage::kRunning);
  usage_.busy.store(busyNs_, std::memory_order_relaxed);
}

}  // namespace hipr::softgpu
