#include "worker/sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMostFiles = 16384;  // a mapping of softgpu's is a file
constexpr rlim_t kMostThreads = 4096;
constexpr int kLastCapability = 63;
constexpr int kMoreLikelyKilled = 300;  // oom_score_adj above the supervisor's

Status failure(const std::string& what) {
  return Status::unavailable(what + ": " + std::strerror(errno));
}

Status lowerLimit(int which, rlim_t value) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(which), &limit) != 0) return failure("getrlimit");
  limit.rlim_max = std::min(limit.rlim_max, value);
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(static_cast<__rlimit_resource>(which), &limit) == 0 ? Status{} : failure("setrlimit");
}

Status limitResources(bool ownUser) {
  Status status = lowerLimit(RLIMIT_CORE, 0);
  if (status.ok()) status = lowerLimit(RLIMIT_NOFILE, kMostFiles);
  // The system counts the processes and threads of a user, which must be the session's own for that.
  if (status.ok() && ownUser) status = lowerLimit(RLIMIT_NPROC, kMostThreads);
  return status;
}

Status offerToOutOfMemoryKiller() {
  const char* const file = "/proc/self/oom_score_adj";
  int score = 0;
  std::ifstream(file) >> score;
  std::ofstream out(file);
  out << std::min(1000, score + kMoreLikelyKilled) << std::flush;
  return out ? Status{} : Status::unavailable("/proc/self/oom_score_adj cannot be written");
}

// Those that device files belong to: a GPU is reached through its group.
std::vector<gid_t> deviceGroups() {
  std::set<gid_t> groups;
  std::error_code ignored;
  const auto note = [&](const fs::path& path) {
    struct stat info{};
    if (stat(path.c_str(), &info) == 0 && S_ISCHR(info.st_mode) && info.st_gid != 0) groups.insert(info.st_gid);
  };
  note("/dev/kfd");
  for (fs::directory_iterator it("/dev/dri", ignored), end; !ignored && it != end; it.increment(ignored))
    note(it->path());
  return {groups.begin(), groups.end()};
}

// Device files that only root may use leave no choice.
std::string outOfReach(const SandboxPlan& plan) {
  struct stat info{};
  if (plan.mode != SandboxMode::kGpu || stat("/dev/kfd", &info) != 0) return "";
  if ((info.st_mode & 0006) == 0006 || ((info.st_mode & 0060) == 0060 && info.st_gid != 0)) return "";
  return "/dev/kfd is root's alone";
}

Status becomeUser(const SandboxPlan& plan) {
  if (plan.user == 0) return Status::unavailable("the worker is not root, may not change users, or is told not to");
  if (const std::string why = outOfReach(plan); !why.empty()) return Status::unavailable(why);
  const std::vector<gid_t> groups = plan.mode == SandboxMode::kGpu ? deviceGroups() : std::vector<gid_t>{};
  if (setgroups(groups.size(), groups.data()) != 0 || setresgid(plan.group, plan.group, plan.group) != 0 ||
      setresuid(plan.user, plan.user, plan.user) != 0)
    return Status::invalid("becoming user " + std::to_string(plan.user) + ": " + std::strerror(errno));
  return {};
}

Status dropCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2]{};
  return syscall(SYS_capset, &header, none) == 0 ? Status{} : failure("capset");
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

void SandboxReport::add(const std::string& what, const Status& status) {
  if (status.ok()) {
    inForce.push_back(what);
  } else {
    missing.push_back(what + " (" + status.message() + ")");
  }
}

std::string SandboxReport::text() const {
  return joined(inForce) + (missing.empty() ? "" : "; not available: " + joined(missing));
}

Status confine(const SandboxPlan& plan, SandboxReport& report) {
  if (plan.mode == SandboxMode::kOff) return {};
  umask(0007);  // what it leaves in the code cache is for other sessions too
  if (chdir("/") != 0) return failure("chdir");
  report.add("out-of-memory score", offerToOutOfMemoryKiller());
  for (int capability = 0; capability <= kLastCapability; ++capability) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  Descriptor chosen;
  Status files = chooseFiles(plan, chosen);
  const Status user = becomeUser(plan);
  if (user.code() == Code::kInvalid) return user;  // half-way is no place to stay
  report.add("a user of its own", user);
  report.add("limits", limitResources(user.ok()));
  if (Status status = dropCapabilities(); !status.ok()) return status;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("no_new_privs");
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // other sessions of the same user cannot look in
  report.add("no privileges", {});
  if (!plan.temporary.empty()) report.add("its own temporary folder", {});
  if (files.ok()) files = restrictFiles(chosen);
  report.add("Landlock", files);
  return {};
}

void sealCalls(const SandboxPlan& plan, SandboxReport& report) {
  if (plan.mode != SandboxMode::kOff) report.add("seccomp", restrictCalls(plan));
}

std::string trySandbox(const SandboxPlan& plan) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "cannot be tried";
  const pid_t child = fork();
  if (child == 0) {
    SandboxReport report;
    const Status status = confine(plan, report);
    if (status.ok()) sealCalls(plan, report);
    const std::string text = status.ok() ? report.text() : "fails: " + status.message();
    (void)!write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string out;
  char text[4096];
  for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;) out.append(text, static_cast<std::size_t>(n));
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return out.empty() ? "cannot be tried" : out;
}

bool canChangeUsers() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (geteuid() != 0 || syscall(SYS_capget, &header, data) != 0) return false;
  // To become them, to give them folders, to remove those, and to end what they run.
  for (const int capability : {CAP_SETUID, CAP_SETGID, CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_KILL})
    if (!(data[0].effective & (1U << capability))) return false;
  return true;
}

bool userNumbersExist(std::uint32_t first, std::uint32_t count) {
  for (const char* file : {"/proc/self/uid_map", "/proc/self/gid_map"}) {
    std::ifstream map(file);
    bool found = false;
    for (std::uint64_t inside, outside, size; map >> inside >> outside >> size;)
      found |= inside <= first && std::uint64_t{first} + count <= inside + size;
    if (!found) return false;
  }
  return true;
}

}  // namespace hipr::worker
