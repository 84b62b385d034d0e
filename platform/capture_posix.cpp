#include "platform/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

extern char** environ;

namespace hipr::platform {
namespace {

using Clock = std::chrono::steady_clock;

// Reads to the end of the stream. False when it has not come by then.
bool readUntil(int pipe, Clock::time_point end, std::string& out) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd entry{pipe, POLLIN, 0};
    const int ready = left > 0 ? poll(&entry, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char piece[4096];
    const ssize_t n = read(pipe, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    if (out.size() < kMostCaptured) out.append(piece, static_cast<std::size_t>(n));
  }
}

}  // namespace

Captured captureProgram(const std::vector<std::string>& arguments, int seconds) {
  Captured out;
  int ends[2];
  if (pipe(ends) != 0) {
    out.output = std::strerror(errno);
    return out;
  }
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t process = 0;
  const int error = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    out.output = std::strerror(error);
    close(ends[0]);
    return out;
  }
  out.started = true;
  out.ended = readUntil(ends[0], Clock::now() + std::chrono::seconds(seconds), out.output);
  close(ends[0]);
  if (!out.ended) kill(process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

}  // namespace hipr::platform
