#include "worker/compile_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/log.h"
#include "rtc/codec.h"
#include "rtc/installed.h"

namespace hipr::worker {

namespace {

constexpr rlim_t kCpuSeconds = 60, kMemory = rlim_t{6} << 30, kFile = rlim_t{512} << 20;
constexpr auto kLongest = std::chrono::seconds(120);
constexpr std::size_t kLargestResult = 256 << 20;

// In the child, between fork and exec: nothing here allocates.
[[noreturn]] void become(const char* program, const char* folder, int in, int out) {
  const auto limit = [](auto resource, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_CPU, kCpuSeconds);
  limit(RLIMIT_AS, kMemory);
  limit(RLIMIT_FSIZE, kFile);
  limit(RLIMIT_CORE, 0);
  dup2(in, 0);
  dup2(out, 1);
  for (int fd = 3; fd < 4096; ++fd) close(fd);
  setpgid(0, 0);  // so that what it starts ends with it
  if (chdir(folder) != 0) _exit(126);
  // A plain environment: AMD's library finds itself, and nobody's settings lead it back to us.
  static char path[] = "PATH=/usr/bin:/bin", temporary[] = "TMPDIR=.";
  char* environment[] = {path, temporary, nullptr};
  char* arguments[] = {const_cast<char*>(program), nullptr};
  execve(program, arguments, environment);
  _exit(127);
}

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Pipe() {
    closeRead();
    closeWrite();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read() const { return ends_[0]; }
  int write() const { return ends_[1]; }
  void closeRead() { closeEnd(ends_[0]); }
  void closeWrite() { closeEnd(ends_[1]); }

 private:
  static void closeEnd(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  int ends_[2];
};

// Writes the request and reads the result, whichever is possible, until the other side closes.
bool exchange(Pipe& to, Pipe& from, std::string_view request, std::string& result, const std::function<bool()>& over) {
  fcntl(to.write(), F_SETFL, O_NONBLOCK);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  for (;;) {
    pollfd ready[2] = {{from.read(), POLLIN, 0}, {to.write(), POLLOUT, 0}};
    constexpr int kLook = 100;  // milliseconds between looks at whether it is over
    if (poll(ready, to.write() >= 0 ? 2 : 1, kLook) < 0 && errno != EINTR) return false;
    if (over() || std::chrono::steady_clock::now() > end) return false;
    if (to.write() >= 0 && ready[1].revents != 0) {
      const ssize_t n = write(to.write(), request.data(), request.size());
      if (n > 0) request.remove_prefix(static_cast<std::size_t>(n));
      if (request.empty() || (n < 0 && errno != EAGAIN && errno != EINTR)) to.closeWrite();
    }
    if (ready[0].revents == 0) continue;
    char piece[65536];
    const ssize_t n = read(from.read(), piece, sizeof(piece));
    if (n == 0) return true;
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) result.append(piece, static_cast<std::size_t>(n));
    if (result.size() > kLargestResult) return false;
  }
}

}  // namespace

std::string compileInProcess(const std::string& program, std::string_view request, const std::function<bool()>& over) {
  namespace fs = std::filesystem;
  char folder[] = "/tmp/hip-compile-XXXXXX";
  if (mkdtemp(folder) == nullptr) {
    logError("compiling: no temporary folder");
    return {};
  }
  Pipe to, from;
  std::string result;
  const pid_t child = to.read() >= 0 && from.read() >= 0 ? fork() : -1;
  if (child == 0) become(program.c_str(), folder, to.read(), from.write());
  bool good = false;
  if (child > 0) {
    to.closeRead();
    from.closeWrite();
    good = exchange(to, from, request, result, over);
    if (!good) kill(-child, SIGKILL);
    if (!good) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    kill(-child, SIGKILL);  // whatever it left behind
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  if (!good) logError("compiling: %s did not finish", program.c_str());
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return good ? result : std::string();
}

std::string compileProgram() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = (self.parent_path() / "hip-compile").string();
  return access(beside.c_str(), X_OK) == 0 ? beside : std::string();
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
