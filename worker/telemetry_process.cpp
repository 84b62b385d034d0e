#include "worker/telemetry_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "wire/platform_codec.h"
#include "worker/own_image.h"
#include "worker/smi/service.h"

namespace hipr::worker {

namespace {

constexpr char kName[] = "hip-worker-smi";
constexpr char kOption[] = "--telemetry";
constexpr std::chrono::seconds kPause(1);

// What it finds open, besides the standard streams.
enum Inherited { kDoorway = kFirstFile, kTokenDesk, kMetrics, kSummary, kPages };

struct TelemetryBrief {
  std::int32_t supervisor = 0;  // its process, which the service does not outlive
  SandboxPlan sandbox;
  wire::Bytes platform;
  std::string usageFolder;
  bool verbose = false;
  std::int32_t seats = 0;
  static auto fields(auto& m) {
    return std::tie(m.supervisor, m.sandbox, m.platform, m.usageFolder, m.verbose, m.seats);
  }
};

SessionBoard::Files boardFiles(int seats) {
  SessionBoard::Files out{kSummary, {}};
  for (int seat = 0; seat < seats; ++seat) out.pages.push_back(kPages + seat);
  return out;
}

[[noreturn]] void fail(const std::string& why) {
  logError("telemetry: %s", why.c_str());
  _exit(1);
}

}  // namespace

// Soon after its start it has probably crashed, and will again: not more often than this.
int TelemetryProcess::delay() const {
  if (process_) return -1;
  pollfd entry{shared_.doorway.waitingFd(), POLLIN, 0};
  if (!shared_.metrics.open() && poll(&entry, 1, 0) <= 0) return -1;
  const auto wait = started_ + kPause - std::chrono::steady_clock::now();
  if (started_ == std::chrono::steady_clock::time_point{} || wait <= wait.zero()) return 0;
  return std::max(1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()));
}

void TelemetryProcess::start() {
  started_ = std::chrono::steady_clock::now();
  TelemetryBrief brief{static_cast<std::int32_t>(getpid()), sandbox_, platform_, usageFolder_, verbose_, 0};
  const SessionBoard::Files board = shared_.board.files();
  std::vector<int> files = {shared_.doorway.waitingFd(), shared_.tokenDesk.askingFd(), shared_.metrics.fd(),
                            board.summary};
  files.insert(files.end(), board.pages.begin(), board.pages.end());
  brief.seats = static_cast<std::int32_t>(board.pages.size());
  if (const Status status = startImage(kOption, written(brief), std::move(files), process_); !status.ok()) {
    logError("telemetry: %s", status.message().c_str());
    process_ = 0;
  }
}

bool TelemetryProcess::ended(pid_t process, int status) {
  if (process != process_) return false;
  process_ = 0;
  logError("the telemetry service ended (%s %d); sessions are not affected", WIFSIGNALED(status) ? "signal" : "code",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return true;
}

void TelemetryProcess::end() {
  if (!process_) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

// --- in the process itself

bool isTelemetryProcess(int argc, char** argv) {
  return isImage(argc, argv, kOption);
}

void runTelemetry(const char* version) {
  setLogName("hip-worker");
  prctl(PR_SET_NAME, kName);
  std::vector<std::byte> bytes;
  TelemetryBrief brief;
  Platform platform;
  if (!takeBrief(bytes, brief) || !wire::decodePlatform(brief.platform, platform))
    fail(std::string(kOption) + " is for the worker itself to use");
  setDebug(brief.verbose);
  if (!brief.usageFolder.empty()) setenv("HIP_REMOTE_SOFTGPU_USAGE", brief.usageFolder.c_str(), 1);
  Doorway doorway{net::Socket(kDoorway)};
  TokenDesk tokens{net::Socket(kTokenDesk)};
  net::Socket metrics(fcntl(kMetrics, F_GETFD) < 0 ? -1 : kMetrics);
  const SessionBoard board(boardFiles(brief.seats));

  SandboxReport report;
  if (Status status = confine(brief.sandbox, report); !status.ok()) fail(status.within("sandbox").message());
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // now: becoming another user undoes it
  if (getppid() != brief.supervisor) _exit(1);
  sealCalls(brief.sandbox, report);
  logDebug("sandbox of the telemetry service: %s", report.text().c_str());

  const auto open = [&platform](telemetry::SourcePtr& source) { return openWorkerSource(platform, source); };
  Station station(open, platform, &board, version);
  const auto knows = [&tokens](std::string_view token) { return tokens.ask(token); };
  SmiService(station, doorway, metrics, knows).run();
  _exit(1);
}

}  // namespace hipr::worker
