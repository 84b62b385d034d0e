#include "backends/softgpu/usage_page.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>

#include "base/env.h"

namespace hipr::softgpu {
namespace {

constexpr std::int64_t kMaxProcess = std::int64_t{1} << 40;

// The page as bytes that were copied out of the file: what it says cannot change while it is looked at.
struct Copy {
  alignas(UsagePage) std::byte bytes[sizeof(UsagePage)];
  const UsagePage& page() const { return *reinterpret_cast<const UsagePage*>(bytes); }
};

// A process tells of itself only, whoever it is: sessions of a worker are users of their own.
bool believed(uid_t owner, std::uint64_t process) {
  if (owner == geteuid()) return true;
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;)
    if (std::uint64_t user = 0; word == "Uid:" && status >> user) return user == owner;
  return false;
}

bool copyPage(int folder, const char* name, std::uint64_t process, Copy& out) {
  const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat info{};
  // Read, not mapped: a file that is cut short under our hands must not end this process.
  const bool whole = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && believed(info.st_uid, process) &&
                     pread(fd, out.bytes, sizeof out.bytes, 0) == static_cast<ssize_t>(sizeof out.bytes);
  close(fd);
  return whole && out.page().magic.load(std::memory_order_relaxed) == UsagePage::kMagic &&
         out.page().devices <= kMaxDevices;
}

ProcessUsage interpret(const UsagePage& page, std::uint64_t nowNs) {
  ProcessUsage usage;
  usage.process = page.process;
  usage.started = page.started;
  usage.program.assign(page.program, strnlen(page.program, sizeof page.program));
  for (std::uint32_t i = 0; i < page.devices; ++i) {
    const DeviceUsage& device = page.device[i];
    const std::uint64_t busy = device.busy.load(std::memory_order_relaxed);
    const std::uint64_t since = busy & ~DeviceUsage::kRunning;
    const bool running = busy & DeviceUsage::kRunning;
    usage.devices.push_back({device.memoryBytes.load(std::memory_order_relaxed),
                             !running        ? since
                             : nowNs > since ? nowNs - since
                                             : 0,
                             device.kernels.load(std::memory_order_relaxed),
                             device.sharePercent.load(std::memory_order_relaxed),
                             device.workNs.load(std::memory_order_relaxed)});
  }
  return usage;
}

// Calls visit(name, page) for each page of a living process; removes the others.
template <class F>
void forEachLiving(const std::string& folder, F&& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(folder.empty() ? nullptr : opendir(folder.c_str()), closedir);
  if (!entries) return;
  while (const dirent* entry = readdir(entries.get())) {
    const auto process = parseNumber(entry->d_name, 1, kMaxProcess);
    if (!process) continue;
    const std::uint64_t started = processStartTicks(static_cast<std::uint64_t>(*process));
    Copy copy;
    const bool readable = copyPage(dirfd(entries.get()), entry->d_name, static_cast<std::uint64_t>(*process), copy);
    if (started == 0 || (readable && copy.page().started != started)) {
      unlinkat(dirfd(entries.get()), entry->d_name, 0);
    } else if (readable && copy.page().process == static_cast<std::uint64_t>(*process)) {
      visit(copy.page());
    }
  }
}

}  // namespace

std::string usageFolder() {
  if (const auto folder = envText("HIP_REMOTE_SOFTGPU_USAGE")) return *folder == "none" ? "" : *folder;
  return "/dev/shm/hip-remote-softgpu-" + std::to_string(geteuid());
}

std::uint64_t monotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t processStartTicks(std::uint64_t process) {
  const int fd = open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024] = "";
  const ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  // The second field is the name in parentheses, which may hold anything; the start time is the 20th after it.
  const char* at = size > 0 ? std::strrchr(text, ')') : nullptr;
  for (int field = 0; at != nullptr && field < 20; ++field) at = std::strchr(at + 1, ' ');
  return at != nullptr ? std::strtoull(at, nullptr, 10) : 0;
}

std::vector<ProcessUsage> readUsage(const std::string& folder, std::uint64_t nowNs) {
  std::vector<ProcessUsage> out;
  forEachLiving(folder, [&](const UsagePage& page) { out.push_back(interpret(page, nowNs)); });
  return out;
}

void removeDeadUsage(const std::string& folder) {
  forEachLiving(folder, [](const UsagePage&) {});
}

}  // namespace hipr::softgpu
