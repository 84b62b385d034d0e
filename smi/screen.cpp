#include "smi/screen.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hipr::smi {
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

void catchSignals() {
  struct sigaction action{};
  action.sa_handler = onSignal;  // no SA_RESTART: poll must wake
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaction(signal, &action, nullptr);
}

void put(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) return;
    at += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
}

int millisecondsUntil(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

}  // namespace

bool Screen::possible() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal && std::strcmp(terminal, "dumb") != 0;
}

Screen::Screen() {
  catchSignals();
  tcgetattr(STDIN_FILENO, &before_);
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  put("\x1b[?1049h\x1b[?25l\x1b[?7l");  // the other screen, no cursor, no wrapping
}

Screen::~Screen() {
  put("\x1b[?7h\x1b[?25h\x1b[?1049l");
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void Screen::draw(const std::vector<std::string>& lines) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) size = {24, 80, 0, 0};
  const std::size_t rows = std::min<std::size_t>(lines.size(), size.ws_row);
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < rows; ++i) {
    const bool more = i + 1 == rows && lines.size() > rows;
    text += (more ? "... " + std::to_string(lines.size() - rows + 1) + " more lines" : lines[i]).substr(0, size.ws_col);
    text += "\x1b[K";
    if (i + 1 < size.ws_row) text += "\r\n";
  }
  put(text + "\x1b[J");
}

Screen::Event Screen::wait(std::chrono::milliseconds time) {
  const auto end = Clock::now() + time;
  for (;;) {
    if (stopAsked) return Event::Quit;
    if (resized) {
      resized = 0;
      return Event::Resized;
    }
    pollfd entry{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&entry, 1, millisecondsUntil(end));
    if (ready == 0) return Event::Time;
    if (ready < 0) continue;  // a signal
    char key = 0;
    if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q') return Event::Quit;
  }
}

bool waitPlainly(std::chrono::milliseconds time) {
  catchSignals();
  const auto end = Clock::now() + time;
  while (!stopAsked && Clock::now() < end) poll(nullptr, 0, millisecondsUntil(end));
  return !stopAsked;
}

}  // namespace hipr::smi
