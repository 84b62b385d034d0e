#include "base/log.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
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

void emit(const char* format, va_list args) {
  const NoCancel whole;
  char text[2048];
  int used = std::snprintf(text, sizeof text, "[%s] ", logName.load());
  const int wrote = std::vsnprintf(text + used, sizeof text - used - 1, format, args);
  if (wrote > 0) used = std::min<int>(used + wrote, sizeof text - 2);
  text[used++] = '\n';
  std::FILE* file = logFile.load();
  std::fwrite(text, 1, used, file ? file : stderr);
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
