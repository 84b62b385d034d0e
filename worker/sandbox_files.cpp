// Which files a session can reach: Landlock, a filter of paths that a process puts on itself. Also no TCP connections
// and no signals to others, where the kernel is new enough.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "worker/sandbox.h"

namespace hipr::worker {
namespace {

// As the kernel has them (include/uapi/linux/landlock.h); Debian 12's header is older than many kernels.
enum Access : std::uint64_t {
  kExecute = 1 << 0,
  kWriteFile = 1 << 1,
  kReadFile = 1 << 2,
  kReadDirectory = 1 << 3,
  kRemoveDirectory = 1 << 4,
  kRemoveFile = 1 << 5,
  kMakeDirectory = 1 << 7,
  kMakeFile = 1 << 8,
  kVersion1 = (1 << 13) - 1,
  kRefer = 1 << 13,        // version 2
  kTruncate = 1 << 14,     // version 3
  kDeviceIoctl = 1 << 15,  // version 5
};
constexpr std::uint64_t kNetwork = 3;     // version 4: bind and connect TCP
constexpr std::uint64_t kScopes = 3;      // version 6: abstract sockets and signals stay inside
constexpr std::uint64_t kPathRule = 1;    // of landlock_add_rule
constexpr std::uint32_t kAskVersion = 1;  // of landlock_create_ruleset

struct Ruleset {
  std::uint64_t files = 0, network = 0, scopes = 0;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};

constexpr std::uint64_t kRead = kExecute | kReadFile | kReadDirectory;
constexpr std::uint64_t kReadWrite = kReadFile | kReadDirectory | kWriteFile | kRemoveDirectory | kRemoveFile |
                                     kMakeDirectory | kMakeFile | kRefer | kTruncate;
constexpr std::uint64_t kOnFiles =
    kExecute | kReadFile | kWriteFile | kTruncate | kDeviceIoctl;  // the rest is for folders
constexpr std::uint64_t kDevice = kReadFile | kReadDirectory | kWriteFile | kDeviceIoctl;

// What any runtime may want to read: libraries, what the machine is, what time it is.
constexpr const char* kSystem[] = {
    "/usr", "/lib", "/lib64", "/proc", "/sys", "/etc/ld.so.cache", "/etc/machine-id", "/etc/localtime"};
// Of /etc what libraries and drivers look at, and not the rest: tokens are kept there, too.
constexpr const char* kSystemOfGpu[] = {
    "/opt",          "/etc/alternatives", "/etc/amd",          "/etc/amdgpu",        "/etc/group",
    "/etc/hostname", "/etc/ld.so.conf",   "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/nsswitch.conf",
    "/etc/nvidia",   "/etc/OpenCL",       "/etc/os-release",   "/etc/passwd",        "/etc/rocm",
    "/etc/timezone"};
constexpr const char* kSystemOfNetworks[] = {"/etc/hosts", "/etc/libibverbs.d", "/etc/resolv.conf", "/etc/ucx"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
constexpr const char* kDevicesOfGpu[] = {
    "/dev/kfd",         "/dev/dri",           "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
    "/dev/nvidia-caps", "/dev/nvidia-modeset"};

Status failure(const std::string& what) {
  return Status::unavailable(what + ": " + std::strerror(errno));
}

class Rules {
 public:
  Rules(int ruleset, std::uint64_t handled) : ruleset_(ruleset), handled_(handled) {}

  // What is not there cannot be allowed, and need not be.
  void allow(const std::string& path, std::uint64_t access) {
    const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) return;
    struct stat info{};
    if (fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode)) access &= kOnFiles;
    const PathRule rule{access & handled_, fd};
    if (syscall(SYS_landlock_add_rule, ruleset_, kPathRule, &rule, 0) != 0 && status_.ok()) status_ = failure(path);
    close(fd);
  }
  const Status& status() const { return status_; }

 private:
  const int ruleset_;
  const std::uint64_t handled_;
  Status status_;
};

}  // namespace

Status chooseFiles(const SandboxPlan& plan, Descriptor& chosen) {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  if (version < 1) return Status::unavailable("this kernel has none");
  Ruleset set{kVersion1};
  if (version >= 2) set.files |= kRefer;
  if (version >= 3) set.files |= kTruncate;
  if (version >= 4 && !plan.connects) set.network = kNetwork;
  if (version >= 5) set.files |= kDeviceIoctl;
  if (version >= 6) set.scopes = kScopes;
  const std::size_t size = (version >= 6 ? 3 : version >= 4 ? 2 : 1) * sizeof(std::uint64_t);
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &set, size, 0));
  if (ruleset < 0) return failure("landlock_create_ruleset");
  chosen = Descriptor(ruleset);
  Rules rules(ruleset, set.files);
  for (const char* path : kSystem) rules.allow(path, kRead);
  for (const std::string& path : plan.readable) rules.allow(path, kRead);
  for (const char* path : kDevices) rules.allow(path, kDevice);
  if (plan.mode == SandboxMode::kGpu) {
    for (const char* path : kSystemOfGpu) rules.allow(path, kRead);
    for (const char* path : kDevicesOfGpu) rules.allow(path, kDevice);
    for (int i = 0; i < 16; ++i) rules.allow("/dev/nvidia" + std::to_string(i), kDevice);
    rules.allow("/dev/shm", kReadWrite);  // ROCm's processes keep semaphores there
    // NVIDIA's driver does not start when it cannot name its threads.
    rules.allow("/proc/self/task", kRead | kWriteFile | kTruncate);
  }
  if (plan.connects) {
    for (const char* path : kSystemOfNetworks) rules.allow(path, kRead);
    rules.allow("/dev/infiniband", kDevice);
  }
  for (const std::string& path : plan.writable) rules.allow(path, kReadWrite);
  if (!plan.temporary.empty()) rules.allow(plan.temporary, kReadWrite);
  return rules.status();
}

Status restrictFiles(const Descriptor& chosen) {
  return syscall(SYS_landlock_restrict_self, chosen.number(), 0) == 0 ? Status{} : failure("landlock_restrict_self");
}

}  // namespace hipr::worker
