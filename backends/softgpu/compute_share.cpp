#include "backends/softgpu/compute_share.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/env.h"
#include "base/log.h"

namespace hipr::softgpu {
namespace {

// Time that was not used is lost, but for a moment's worth: sleeping threads wake late, and that evens out.
constexpr std::uint64_t kSlackNs = 200'000'000;
constexpr std::uint64_t kLongestPauseNs = 10'000'000'000;  // of one thread, whatever others have written into the page

double rate(unsigned percent, unsigned threads) {
  return static_cast<double>(percent) * threads / 100;
}

}  // namespace

struct ComputeShare::Page {
  std::atomic<std::uint64_t> until[kMaxDevices];

  static Page* map(const std::string& path) {
    const int fd = path.empty() ? -1 : open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat info{};
    void* memory = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size >= static_cast<off_t>(sizeof(Page)))
      memory = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    if (memory == MAP_FAILED && !path.empty())
      logError("softgpu: no share in common with others: %s cannot be used", path.c_str());
    if (memory == MAP_FAILED)  // then what is said of the group holds for this process alone
      memory = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<Page*>(memory);
  }
};

std::uint64_t Bucket::pour(std::uint64_t workNs, std::uint64_t nowNs) {
  const auto cost = static_cast<std::uint64_t>(static_cast<double>(workNs) / rate_);
  const std::uint64_t began = nowNs - std::min(nowNs, workNs + kSlackNs);
  std::uint64_t seen = until_.load(std::memory_order_relaxed), next;
  do {
    next = std::clamp(seen, began, nowNs + kLongestPauseNs) + cost;
  } while (!until_.compare_exchange_weak(seen, next, std::memory_order_relaxed));
  return std::min(next, nowNs + kLongestPauseNs);
}

ShareSettings ShareSettings::fromEnvironment() {
  ShareSettings settings;
  settings.processPercent = static_cast<unsigned>(envNumber("HIP_REMOTE_SOFTGPU_COMPUTE", 100, 1, 100));
  const std::string group = envText("HIP_REMOTE_SOFTGPU_COMPUTE_GROUP").value_or("");
  if (group.empty()) return settings;
  const std::size_t colon = group.find(':');
  const auto percent = parseNumber(group.substr(0, colon), 1, 100);
  if (!percent || colon == std::string::npos) {
    logError("HIP_REMOTE_SOFTGPU_COMPUTE_GROUP: \"%s\" is not PERCENT:FILE", group.c_str());
    return settings;
  }
  settings.groupPercent = static_cast<unsigned>(*percent);
  settings.groupFile = group.substr(colon + 1);
  return settings;
}

bool makeGroupFile(const std::string& path, unsigned mode) {
  unlink(path.c_str());
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool made = fchmod(fd, mode) == 0 && posix_fallocate(fd, 0, 4096) == 0;
  close(fd);
  if (!made) unlink(path.c_str());
  return made;
}

std::unique_ptr<ComputeShare> ComputeShare::make(int device, unsigned threads, DeviceUsage& usage) {
  const ShareSettings settings = ShareSettings::fromEnvironment();
  return settings.limited() ? std::make_unique<ComputeShare>(settings, device, threads, usage) : nullptr;
}

ComputeShare::ComputeShare(const ShareSettings& settings, int device, unsigned threads, DeviceUsage& usage)
    : usage_(usage),
      threads_(threads),
      group_(Page::map(settings.groupFile)),
      own_(ownUntil_, rate(settings.processPercent, threads)),
      shared_(group_->until[device], rate(settings.groupPercent, threads)) {
  static_assert(sizeof(Page) <= 4096);
  usage_.sharePercent.store(settings.percent(), std::memory_order_relaxed);
}

ComputeShare::~ComputeShare() {
  munmap(group_, sizeof(Page));
}

Pace::Clock::time_point ComputeShare::computed(std::chrono::nanoseconds work) {
  const auto workNs = static_cast<std::uint64_t>(work.count());
  usage_.workNs.fetch_add(workNs / threads_, std::memory_order_relaxed);
  const std::uint64_t now = monotonicNs();
  const std::uint64_t until = std::max(own_.pour(workNs, now), shared_.pour(workNs, now));
  return Clock::now() + std::chrono::nanoseconds(until > now ? until - now : 0);
}

}  // namespace hipr::softgpu
