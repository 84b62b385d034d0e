// What the system's scheduler says of a process: how long it ran, and how long it wanted to run and others did.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace hipr {

struct ProcessorTime {
  double running = 0, waiting = 0;  // seconds, of all its threads
};

inline ProcessorTime operator-(ProcessorTime a, ProcessorTime b) {
  return {a.running - b.running, a.waiting - b.waiting};
}
inline ProcessorTime operator+(ProcessorTime a, ProcessorTime b) {
  return {a.running + b.running, a.waiting + b.waiting};
}

inline ProcessorTime processorTimeOf(pid_t process) {
  ProcessorTime out;
  std::error_code error;
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  for (std::filesystem::directory_iterator it(tasks, error), end; !error && it != end; it.increment(error)) {
    double ran = 0, waited = 0;
    if (std::ifstream(it->path() / "schedstat") >> ran >> waited) out = out + ProcessorTime{ran / 1e9, waited / 1e9};
  }
  return out;
}

}  // namespace hipr
