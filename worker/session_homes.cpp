#include "worker/session_homes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/env.h"
#include "base/log.h"
#include "telemetry/softgpu_usage.h"
#include "worker/cache_folder.h"
#include "worker/close_from.h"

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

// Where nobody else's users are; and for containers that have only a few numbers.
constexpr std::uint32_t kUsers = 1'900'000'000, kUsersOfContainer = 60'000;

std::uint32_t firstUser(const Options& options) {
  if (!canChangeUsers()) return 0;
  const auto count = static_cast<std::uint32_t>(options.maxSessions) + 1;
  if (options.sessionUser >= 0) return static_cast<std::uint32_t>(options.sessionUser);
  for (const std::uint32_t first : {kUsers, kUsersOfContainer})
    if (userNumbersExist(first, count)) return first;
  return 0;
}

std::vector<std::string> librariesOf(const std::string& runtime) {
  std::vector<std::string> out;
  std::error_code ignored;
  const auto add = [&](const fs::path& folder) {
    if (folder.is_absolute()) out.push_back(folder);
  };
  add(fs::path(runtime).parent_path());
  add(fs::canonical(runtime, ignored).parent_path());
  add(fs::read_symlink("/proc/self/exe", ignored).parent_path());
  std::istringstream path(envText("LD_LIBRARY_PATH").value_or(""));
  for (std::string folder; std::getline(path, folder, ':');) add(folder);
  return out;
}

}  // namespace

SessionHomes::SessionHomes(const Options& options, const std::string& runtime, bool software, const std::string& folder)
    : mode_(options.sandbox.value_or(software ? SandboxMode::kStrict : SandboxMode::kGpu)),
      cacheFolder_(options.cacheFolder),
      dataFolder_(options.dataFolder.value_or("")) {
  if (mode_ == SandboxMode::kOff) return;
  firstUser_ = firstUser(options);
  readable_ = librariesOf(runtime);
  std::string pattern = envText("TMPDIR").value_or("/tmp") + "/hip-worker-XXXXXX";
  if (std::error_code ignored; !folder.empty() && fs::is_directory(folder, ignored)) {
    folder_ = folder;
  } else if (const char* made = mkdtemp(pattern.data())) {
    folder_ = made;
    chmod(made, 0711);  // sessions pass through, and cannot see whose folders are there
  }
  usageFolder_ = telemetry::softgpuUsageFolder();
  if (firstUser_ == 0) return;
  telemetry::shareSoftgpuUsage(telemetryGroup());
  share(cacheFolder_);
  share(dataFolder_);
}

// Sessions have users of their own and one group, so what they share must be the group's. Of the folder of all they may
// pass through it, each to that of its identity.
void SessionHomes::share(std::string& cache) const {
  if (cache.empty()) return;
  cache += "/sessions";
  std::error_code error;
  fs::create_directories(cache, error);
  if (!error && open(cache, 0710)) return;
  logError("sessions cannot keep anything in %s", cache.c_str());
  cache.clear();
}

// By its descriptor: what lies in a folder that sessions could write to may be a link to somewhere else.
bool SessionHomes::open(const std::string& folder, mode_t mode) const {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const bool opened = file >= 0 && (!firstUser_ || fchown(file, 0, firstUser_) == 0) && fchmod(file, mode) == 0;
  if (file >= 0) close(file);
  return opened;
}

std::vector<std::string> SessionHomes::caches(const std::string& identity) const {
  std::vector<std::string> out;
  for (const std::string& folder : {cacheFolder_, dataFolder_})
    if (!folder.empty()) out.push_back(CacheFolder::ofIdentity(folder, identity));
  return out;
}

SessionHomes::~SessionHomes() {
  std::error_code ignored;
  if (!folder_.empty() && getpid() == owner_) fs::remove_all(folder_, ignored);
}

std::string SessionHomes::temporary(int account) const {
  return folder_.empty() ? "" : folder_ + "/" + std::to_string(account);
}

SandboxPlan SessionHomes::plan(int account, const std::string& identity) const {
  SandboxPlan plan;
  plan.mode = mode_;
  if (mode_ == SandboxMode::kOff) return plan;
  plan.group = firstUser_;
  plan.user = firstUser_ ? firstUser_ + 1 + static_cast<std::uint32_t>(account) : 0;
  plan.temporary = temporary(account);
  plan.readable = readable_;
  plan.writable = caches(identity);
  if (!usageFolder_.empty()) plan.writable.push_back(usageFolder_);
  return plan;
}

// Not the sessions', which are not to see what others do.
std::uint32_t SessionHomes::telemetryGroup() const {
  return firstUser_ ? firstUser_ + 1 : 0;
}

SandboxPlan SessionHomes::telemetryPlan() const {
  SandboxPlan plan;
  plan.mode = mode_;
  if (mode_ == SandboxMode::kOff) return plan;
  plan.user = firstUser_;
  plan.group = telemetryGroup();
  plan.readable = readable_;
  if (const auto rocm = envText("ROCM_PATH")) {  // where AMD's library for telemetry may be
    std::error_code ignored;
    plan.readable.push_back(*rocm);
    plan.readable.push_back(fs::canonical(*rocm, ignored));
  }
  if (!usageFolder_.empty()) plan.writable.push_back(usageFolder_);  // it removes what dead programs left there
  plan.accepts = true;
  return plan;
}

SandboxPlan SessionHomes::ucxPlan(int account) const {
  SandboxPlan out = plan(account, "");
  out.temporary.clear();
  out.writable = {"/dev/shm"};
  out.connects = true;
  return out;
}

void SessionHomes::prepare(const SandboxPlan& plan, const std::string& identity) const {
  if (plan.mode == SandboxMode::kOff) return;
  makeTemporary(plan);
  for (const std::string& folder : caches(identity)) {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    if (!open(folder, 02770)) logError("sessions cannot keep anything in %s", folder.c_str());
  }
}

void SessionHomes::makeTemporary(const SandboxPlan& plan) const {
  if (plan.temporary.empty()) return;
  discard(plan.temporary);
  if (mkdir(plan.temporary.c_str(), 0700) != 0 ||
      (plan.user && chown(plan.temporary.c_str(), plan.user, plan.group) != 0))
    logError("no temporary folder %s", plan.temporary.c_str());
}

void SessionHomes::clear(int account, pid_t process) const {
  if (mode_ == SandboxMode::kOff) return;
  if (!folder_.empty()) discard(temporary(account));
  if (firstUser_) telemetry::forgetSoftgpuUsage(process);
}

// A session may have left more there than can be removed in passing: then a process of its own does it.
void SessionHomes::discard(const std::string& path) const {
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return;
  std::error_code ignored;
  const std::string gone =
      folder_ + "/gone-" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
  if (rename(path.c_str(), gone.c_str()) != 0) {
    fs::remove_all(path, ignored);
    return;
  }
  const pid_t child = fork();
  if (child > 0) return;
  if (child == 0) closeFrom(0);  // connections end with those who have them
  fs::remove_all(gone, ignored);
  if (child == 0) _exit(0);
}

std::string SessionHomes::describe() const {
  if (mode_ == SandboxMode::kOff) return "off: whoever takes a session over has the rights of this worker";
  SandboxPlan trial = plan(0, "");
  std::error_code ignored;
  if (!folder_.empty()) trial.temporary = folder_ + "/trial";  // account 0 may be somebody's by now
  makeTemporary(trial);
  const std::string what = trySandbox(trial);
  fs::remove_all(trial.temporary, ignored);
  return std::string(mode_ == SandboxMode::kStrict ? "strict" : "gpu") + ": " + what;
}

}  // namespace hipr::worker
