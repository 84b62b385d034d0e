// Running another program for what it prints.
#pragma once

#include <string>
#include <vector>

namespace hipr::platform {

struct Captured {
  bool started = false;  // else `output` says why not
  bool ended = false;    // by itself, within the time it had
  int code = 0;          // its exit code; 128 + the signal that ended it
  std::string output;    // stdout and stderr together, at most kMostCaptured bytes
};
inline constexpr std::size_t kMostCaptured = 1 << 20;

// Found as a shell finds it; its input is empty. One that takes longer than that many seconds is ended.
Captured captureProgram(const std::vector<std::string>& arguments, int seconds);

}  // namespace hipr::platform
