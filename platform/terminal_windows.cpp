#include "platform/terminal.h"

#include <algorithm>
#include <cstring>

#include "platform/windows.h"

namespace hipr::platform {
namespace {

using Clock = std::chrono::steady_clock;

struct Modes {
  DWORD input = 0, output = 0;
  UINT page = 0;
};

HANDLE input() {
  return GetStdHandle(STD_INPUT_HANDLE);
}
HANDLE output() {
  return GetStdHandle(STD_OUTPUT_HANDLE);
}

HANDLE errors() {
  return GetStdHandle(STD_ERROR_HANDLE);
}

void writeAll(HANDLE file, std::string_view text) {
  while (!text.empty()) {
    DWORD written = 0;
    if (!WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &written, nullptr)) return;
    text.remove_prefix(written);
  }
}

HANDLE stopAsked() {
  static const HANDLE event = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  return event;
}

BOOL WINAPI onConsole(DWORD) {
  SetEvent(stopAsked());
  return TRUE;
}

}  // namespace

bool atTerminal() {
  DWORD mode = 0;
  return GetConsoleMode(input(), &mode) && GetConsoleMode(output(), &mode) &&
         SetConsoleMode(output(), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

TerminalSize terminalSize() {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (!GetConsoleScreenBufferInfo(output(), &info)) return {};
  return {static_cast<std::size_t>(info.srWindow.Bottom - info.srWindow.Top + 1),
          static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1)};
}

void writeTerminal(std::string_view text) {
  writeAll(output(), text);
}

std::size_t errorColumns() {
  DWORD mode = 0;
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (!GetConsoleMode(errors(), &mode) || !SetConsoleMode(errors(), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING))
    return 0;
  return GetConsoleScreenBufferInfo(errors(), &info)
             ? static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1)
             : TerminalSize{}.columns;
}

void writeError(std::string_view text) {
  writeAll(errors(), text);
}

RawKeys::RawKeys() {
  Modes before;
  GetConsoleMode(input(), &before.input);
  GetConsoleMode(output(), &before.output);
  before.page = GetConsoleOutputCP();
  static_assert(sizeof before <= sizeof before_);
  std::memcpy(before_, &before, sizeof before);
  constexpr DWORD kLines = ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT;
  SetConsoleMode(input(), (before.input & ~kLines) | ENABLE_WINDOW_INPUT);
  SetConsoleMode(output(), before.output | ENABLE_VIRTUAL_TERMINAL_PROCESSING | DISABLE_NEWLINE_AUTO_RETURN);
  SetConsoleOutputCP(CP_UTF8);
}

RawKeys::~RawKeys() {
  Modes before;
  std::memcpy(&before, before_, sizeof before);
  SetConsoleMode(input(), before.input);
  SetConsoleMode(output(), before.output);
  SetConsoleOutputCP(before.page);
}

void catchStopping() {
  stopAsked();
  SetConsoleCtrlHandler(onConsole, TRUE);
}

Wait waitTerminal(std::chrono::milliseconds time, char* key) {
  const auto end = Clock::now() + time;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const HANDLE both[] = {stopAsked(), input()};
    const DWORD which =
        WaitForMultipleObjects(key ? 2 : 1, both, FALSE, static_cast<DWORD>(std::max<std::int64_t>(left, 0)));
    if (which == WAIT_OBJECT_0) return Wait::kStop;
    if (which != WAIT_OBJECT_0 + 1) return Wait::kTime;
    INPUT_RECORD record{};
    DWORD count = 0;
    if (!ReadConsoleInputW(input(), &record, 1, &count)) return Wait::kStop;
    if (count == 0) continue;
    if (record.EventType == WINDOW_BUFFER_SIZE_EVENT) return Wait::kResized;
    const KEY_EVENT_RECORD& event = record.Event.KeyEvent;
    if (record.EventType != KEY_EVENT || !event.bKeyDown || event.uChar.UnicodeChar == 0) continue;
    *key = event.uChar.UnicodeChar < 128 ? static_cast<char>(event.uChar.UnicodeChar) : '?';
    return Wait::kKey;
  }
}

}  // namespace hipr::platform
