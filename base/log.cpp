#include "base/log.h"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "base/env.h"
#include "platform/no_cancel.h"

namespace hipr {
namespace {

std::atomic<const char*> logName{"hip-remote"};
std::atomic<std::FILE*> logFile{nullptr};

std::atomic<bool>& debugFlag() {
  static std::atomic<bool> flag{envFlag("TF_DEBUG")};
  return flag;
}

constexpr std::size_t kLongest = 4096;

// Names of kernels, programs and clients are what somebody else wrote. They say nothing to a terminal, and a line of
// theirs is indented, so that it cannot be taken for one of ours. What there is no room for is left out.
std::size_t makePlain(std::string_view text, std::span<char> room) {
  constexpr std::string_view kAnotherLine = "\n    ";
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size() && used < room.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool wide = byte == 0xc2 && next >= 0x80 && next < 0xa0;  // a control character of Unicode's own
    if (byte == '\n') {
      used += kAnotherLine.copy(&room[used], room.size() - used);
    } else {
      room[used++] = wide || byte == 0x7f || (byte < 0x20 && byte != '\t') ? '?' : text[i];
    }
    i += wide;
  }
  return used;
}

void emit(const char* format, va_list args) {
  const NoCancel whole;
  char text[kLongest / 2], line[kLongest];
  const int wrote = std::vsnprintf(text, sizeof text, format, args);
  const std::size_t size = std::min<std::size_t>(static_cast<std::size_t>(std::max(wrote, 0)), sizeof text - 1);
  auto used = static_cast<std::size_t>(std::snprintf(line, sizeof text, "[%s] ", logName.load()));
  used += makePlain({text, size}, std::span(line).subspan(used).first(sizeof line - used - 1));
  line[used++] = '\n';
  std::FILE* file = logFile.load();
  std::fwrite(line, 1, used, file ? file : stderr);
}

}  // namespace

void setLogName(const char* name) {
  logName = name;
}
void setLogFile(std::FILE* file) {
  if (file) std::setvbuf(file, nullptr, _IONBF, 0);
  logFile = file;
}
bool debugEnabled() {
  return debugFlag().load(std::memory_order_relaxed);
}
void setDebug(bool on) {
  debugFlag() = on;
}

void logError(const char* format, ...) {
  va_list args;
  va_start(args, format);
  emit(format, args);
  va_end(args);
}

void logInfo(const char* format, ...) {
  va_list args;
  va_start(args, format);
  emit(format, args);
  va_end(args);
}

void logDebug(const char* format, ...) {
  if (!debugEnabled()) return;
  va_list args;
  va_start(args, format);
  emit(format, args);
  va_end(args);
}

void logAndAbort(const char* format, ...) {
  va_list args;
  va_start(args, format);
  emit(format, args);
  va_end(args);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::abort();
}

void LogOnce::error(const char* format, ...) {
  if (done_.exchange(true)) return;
  va_list args;
  va_start(args, format);
  emit(format, args);
  va_end(args);
}

}  // namespace hipr
