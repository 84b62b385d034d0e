#include "platform/terminal.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace hipr::platform {
namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t stopAsked = 0, resized = 0;

void onSignal(int signal) {
  if (signal == SIGWINCH) {
    resized = 1;
  } else {
    stopAsked = 1;
  }
}

int millisecondsUntil(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

bool knowsSequences() {
  const char* const terminal = std::getenv("TERM");
  return terminal && std::strcmp(terminal, "dumb") != 0;
}

void writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
}

}  // namespace

bool atTerminal() {
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && knowsSequences();
}

TerminalSize terminalSize() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return {};
  return {size.ws_row, size.ws_col};
}

void writeTerminal(std::string_view text) {
  writeAll(STDOUT_FILENO, text);
}

std::size_t errorColumns() {
  if (!isatty(STDERR_FILENO) || !knowsSequences()) return 0;
  const pid_t front = tcgetpgrp(STDERR_FILENO);
  if (front > 0 && front != getpgrp()) return 0;  // somebody else has the terminal
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : TerminalSize{}.columns;
}

void writeError(std::string_view text) {
  writeAll(STDERR_FILENO, text);
}

RawKeys::RawKeys() {
  static_assert(sizeof(termios) <= sizeof before_);
  auto* before = new (before_) termios{};
  tcgetattr(STDIN_FILENO, before);
  termios raw = *before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

RawKeys::~RawKeys() {
  tcsetattr(STDIN_FILENO, TCSANOW, std::launder(reinterpret_cast<termios*>(before_)));
}

void catchStopping() {
  struct sigaction action{};
  action.sa_handler = onSignal;  // no SA_RESTART: poll must wake
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaction(signal, &action, nullptr);
}

Wait waitTerminal(std::chrono::milliseconds time, char* key) {
  const auto end = Clock::now() + time;
  for (;;) {
    if (stopAsked) return Wait::kStop;
    if (key && resized) {
      resized = 0;
      return Wait::kResized;
    }
    pollfd entry{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&entry, key ? 1 : 0, millisecondsUntil(end));
    if (ready == 0) return Wait::kTime;
    if (ready < 0) continue;  // a signal
    return read(STDIN_FILENO, key, 1) == 1 ? Wait::kKey : Wait::kStop;
  }
}

}  // namespace hipr::platform
