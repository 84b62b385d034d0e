// Log lines on stderr. Errors are always shown; debug lines with TF_DEBUG=1. Thread-safe: one write per line.
#pragma once

#include <atomic>
#include <cstdio>

// The compiler checks the arguments against the format. (MinGW's "printf" would be the one of Windows, which we do not
// use.)
#if defined(__MINGW32__)
#define HIPR_PRINTF(text, first) [[gnu::format(gnu_printf, text, first)]]
#elif defined(__GNUC__)
#define HIPR_PRINTF(text, first) [[gnu::format(printf, text, first)]]
#else
#define HIPR_PRINTF(text, first)
#endif

namespace hipr {

// Sets the word in front of every line ("hip-remote" in the client, "hip-worker" in the worker).
void setLogName(const char* name);

// Lines go to stderr unless a file is given here (by a session, whose stderr belongs to the GPU's programs).
void setLogFile(std::FILE* file);

bool debugEnabled();
void setDebug(bool on);

HIPR_PRINTF(1, 2) void logError(const char* format, ...);
HIPR_PRINTF(1, 2) void logInfo(const char* format, ...);
HIPR_PRINTF(1, 2) void logDebug(const char* format, ...);

// For a broken rule: one line, a moment in which whoever reads our stderr through this very process can pass it on (a
// session does so for its program), and the end.
[[noreturn]] HIPR_PRINTF(1, 2) void logAndAbort(const char* format, ...);

// Logs the first time only: `static LogOnce once; once.error("…")` keeps a loop from flooding the terminal.
class LogOnce {
 public:
  HIPR_PRINTF(2, 3) void error(const char* format, ...);

 private:
  std::atomic<bool> done_{false};
};

}  // namespace hipr
