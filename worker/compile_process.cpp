#include "worker/compile_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/log.h"
#include "rtc/codec.h"
#include "rtc/installed.h"
#include "worker/close_from.h"

namespace hipr::worker {

namespace {

constexpr rlim_t kCpuSeconds = 60, kMemory = rlim_t{6} << 30, kFile = rlim_t{512} << 20;
constexpr auto kLongest = std::chrono::seconds(120);
constexpr std::size_t kLargestResult = 256 << 20;
constexpr int kProgram = 3;  // the descriptor it starts by: its user may have no way to the folder it lies in

// In the new process.
[[noreturn]] void become(int program, const SandboxPlan& plan, const std::string& folder, int socket) {
  const auto limit = [](auto resource, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(resource, &both);
  };
  setpgid(0, 0);  // so that what it starts ends with it
  signal(SIGINT, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  SandboxReport report;
  Status status = confine(plan, report);
  if (status.ok() && plan.mode != SandboxMode::kOff) report.add("no network", withoutNetwork());
  if (!status.ok()) {
    logError("compiling: sandbox: %s", status.message().c_str());
    _exit(126);
  }
  logDebug("compiling: sandbox: %s", report.text().c_str());
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CPU, kCpuSeconds);
  limit(RLIMIT_AS, kMemory);
  limit(RLIMIT_FSIZE, kFile);
  limit(RLIMIT_CORE, 0);
  dup2(socket, 0);
  dup2(socket, 1);
  dup2(program, kProgram);
  fcntl(kProgram, F_SETFD, FD_CLOEXEC);
  closeFrom(kProgram + 1);
  if (chdir(folder.c_str()) != 0) _exit(126);
  // A plain environment: AMD's library finds itself, and nobody's settings lead it back to us.
  char path[] = "PATH=/usr/bin:/bin", temporary[] = "TMPDIR=.";
  char* environment[] = {path, temporary, nullptr};
  char name[] = "hip-compile";
  char* arguments[] = {name, nullptr};
  fexecve(kProgram, arguments, environment);
  _exit(127);
}

}  // namespace

std::string compileProgram() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = (self.parent_path() / "hip-compile").string();
  return ::access(beside.c_str(), X_OK) == 0 ? beside : std::string();
}

Status startCompiler(const std::string& program, SandboxPlan plan, const std::string& folder, pid_t& process,
                     Descriptor& socket) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Status::exhausted(std::string("compiling: ") + std::strerror(errno));
  socket = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]), image(open(program.c_str(), O_PATH | O_CLOEXEC));
  plan.readable.push_back("/opt");  // where AMD's compiler lies
  plan.temporary = folder;
  plan.writable.clear();
  process = fork();
  if (process < 0) return Status::exhausted(std::string("compiling: fork: ") + std::strerror(errno));
  if (process == 0) become(image.number(), plan, folder, theirs.number());
  return {};
}

std::string compileThrough(const Descriptor& socket, std::string_view request, const std::function<bool()>& over) {
  const int fd = socket.number();
  if (fd < 0) return {};
  const auto end = std::chrono::steady_clock::now() + kLongest;
  std::string result;
  for (bool asking = true;;) {
    pollfd ready{fd, static_cast<short>(POLLIN | (asking ? POLLOUT : 0)), 0};
    constexpr int kLook = 100;  // milliseconds between looks at whether it is over
    if (poll(&ready, 1, kLook) < 0 && errno != EINTR) return {};
    if (over() || std::chrono::steady_clock::now() > end) return {};
    if (asking && (ready.revents & POLLOUT)) {
      const ssize_t n = send(fd, request.data(), request.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return {};
      if (n > 0) request.remove_prefix(static_cast<std::size_t>(n));
      asking = !request.empty();
      if (!asking) shutdown(fd, SHUT_WR);
    }
    if (!(ready.revents & (POLLIN | POLLHUP))) continue;
    char piece[65536];
    const ssize_t n = recv(fd, piece, sizeof piece, MSG_DONTWAIT);
    if (n == 0) return result;
    if (n < 0 && errno != EAGAIN && errno != EINTR) return {};
    if (n > 0) result.append(piece, static_cast<std::size_t>(n));
    if (result.size() > kLargestResult) return {};
  }
}

int serveOneRequest() {
  std::string bytes;
  char piece[65536];
  for (ssize_t n; (n = read(0, piece, sizeof(piece))) != 0;) {
    if (n < 0 && errno != EINTR) return 1;
    if (n > 0) bytes.append(piece, static_cast<std::size_t>(n));
  }
  // What the compiler prints is not the result.
  const int out = dup(1);
  dup2(2, 1);
  rtc::Request request;
  rtc::Result result;
  if (!rtc::decode(bytes, request)) return 1;
  if (rtc::installed().place.empty()) {
    result.log = "no hiprtc is installed on the worker";
  } else {
    result = rtc::compileInstalled(request);
  }
  const std::string answer = rtc::encode(result);
  for (std::string_view left = answer; !left.empty();) {
    const ssize_t n = write(out, left.data(), left.size());
    if (n < 0 && errno != EINTR) return 1;
    if (n > 0) left.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace hipr::worker
