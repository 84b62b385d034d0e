#include "bench/usage.h"

#include <time.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace hipr::bench {
namespace {

namespace fs = std::filesystem;

// The processor time to the nanosecond; /proc/PID/stat counts in hundredths of a second.
double processorTime(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double voluntarySwitches(const fs::path& thread) {
  static const std::string kField = "voluntary_ctxt_switches:";
  std::ifstream file(thread / "status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kField)) return std::stod(line.substr(kField.size()));
  }
  return 0;  // the thread has ended meanwhile
}

void collect(pid_t process, std::map<pid_t, Spent>& found) {
  std::error_code gone;
  Spent spent;
  for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(process) + "/task", gone)) {
    spent.wakeUps += voluntarySwitches(thread.path());
    std::ifstream children(thread.path() / "children");
    for (pid_t child; children >> child;) collect(child, found);
  }
  if (gone) return;
  spent.processor = processorTime(process);
  found[process] = spent;
}

}  // namespace

Usage Usage::of(const std::vector<pid_t>& roots) {
  Usage usage;
  for (const pid_t root : roots) collect(root, usage.processes_);
  return usage;
}

Spent Usage::since(const Usage& before) const {
  Spent total;
  for (const auto& [process, now] : processes_) {
    const auto then = before.processes_.find(process);
    if (then == before.processes_.end()) continue;
    total.processor += now.processor - then->second.processor;
    total.wakeUps += now.wakeUps - then->second.wakeUps;
  }
  return total;
}

}  // namespace hipr::bench
