#include "provider/log.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "base/log.h"

namespace hipr::provider {
namespace {
std::atomic<LogCallback> current{nullptr};
}

void setLogCallback(LogCallback callback) {
  current = callback;
}
bool hasLogCallback() {
  return current.load() != nullptr;
}

void say(Level level, const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (const LogCallback callback = current.load()) {
    callback(level == Level::kError ? "ERROR" : level == Level::kWarn ? "WARN" : "INFO", text);
  } else if (level == Level::kError) {
    logError("%s", text);
  } else {
    logDebug("%s", text);
  }
}

}  // namespace hipr::provider
