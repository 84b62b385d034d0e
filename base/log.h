// Log lines on stderr. Errors are always shown; debug lines with TF_DEBUG=1. Thread-safe: one write per line.
#pragma once

#include <atomic>

namespace hipr {

// Sets the word in front of every line ("hip-remote" in the client, "hip-worker" in the worker).
void setLogName(const char* name);

// Lines go to stderr unless a descriptor is given here (a session whose stderr belongs to the GPU's programs).
void setLogDescriptor(int fd);

bool debugEnabled();
void setDebug(bool on);

[[gnu::format(printf, 1, 2)]] void logError(const char* format, ...);
[[gnu::format(printf, 1, 2)]] void logInfo(const char* format, ...);
[[gnu::format(printf, 1, 2)]] void logDebug(const char* format, ...);

// For a broken rule: one line, a moment in which whoever reads our stderr through this very process can pass it on (a
// session does so for its program), and the end.
[[noreturn]] [[gnu::format(printf, 1, 2)]] void logAndAbort(const char* format, ...);

// Logs the first time only: `static LogOnce once; once.error("…")` keeps a loop from flooding the terminal.
class LogOnce {
 public:
  [[gnu::format(printf, 2, 3)]] void error(const char* format, ...);

 private:
  std::atomic<bool> done_{false};
};

}  // namespace hipr
