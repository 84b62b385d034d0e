#include "base/trace_summary.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <vector>

#include "base/log.h"

namespace hipr::trace {
namespace {

constexpr std::size_t kTop = 5;
constexpr double kSecond = 1e9, kMillisecond = 1e6, kMicrosecond = 1e3, kMega = 1e6;

HIPR_PRINTF(2, 3) void print(std::string& out, const char* format, ...) {
  char line[512];
  std::va_list list;
  va_start(list, format);
  std::vsnprintf(line, sizeof line, format, list);
  va_end(list);
  out += line;
}

// The most time first.
template <class Map>
auto top(const Map& map) {
  std::vector<std::pair<typename Map::key_type, typename Map::mapped_type>> out(map.begin(), map.end());
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  out.resize(std::min(out.size(), kTop));
  return out;
}

std::string fileName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

void Summary::call(const std::string& name, std::uint64_t ns) {
  calls_[name].add(ns);
  allCalls_.add(ns);
}

void Summary::wait(const std::string& name, const std::string& module, std::uint64_t ns) {
  waits_[{name, module}].add(ns);
  allWaits_.add(ns);
}

void Summary::kernel(const std::string& name, std::uint64_t ns, std::uint64_t queuedNs) {
  kernels_[name].add(ns);
  allKernels_.add(ns);
  queued_ += queuedNs;
}

void Summary::span(std::uint64_t begin, std::uint64_t end) {
  begin_ = begin_ == 0 ? begin : std::min(begin_, begin);
  end_ = std::max(end_, end);
}

std::string Summary::advice(double seconds) const {
  const double waited = static_cast<double>(allWaits_.ns) / kSecond;
  const double busy = static_cast<double>(allKernels_.ns) / kSecond;
  std::string out;
  if (allKernels_.count > 0 && busy > 0.7 * seconds)
    return "the GPU is busy most of the time: faster kernels, or a faster GPU; the connection is not what holds it up";
  if (allWaits_.count > 0 && waited > 0.3 * seconds) {
    const auto worst = top(waits_).front();
    print(out, "%.0f %% of the time is waiting, most of it for %s called from %s", 100 * waited / seconds,
          worst.first.first.c_str(), fileName(worst.first.second).c_str());
    const double each = static_cast<double>(allWaits_.ns) / static_cast<double>(allWaits_.count) / kMicrosecond;
    const double kernelShare = waited > 0 ? busy / waited : 0;
    if (kernelShare > 0.6)
      out += ": it waits for kernels; give the GPU more work before asking for results";
    else if (each < 2000)
      print(out,
            ": %.0f us each, about a round trip; ask less often (results of several steps at once, fewer "
            "synchronisations)",
            each);
    else
      out += ": long waits with little GPU time; large transfers or compiling, see the bytes' curve in the trace";
    return out;
  }
  if (static_cast<double>(allCalls_.ns) / kSecond < 0.2 * seconds)
    return "the program itself takes most of the time, not HIP: its own code on this machine";
  return "nothing stands out: calls are posted, waits are few";
}

std::string Summary::text() const {
  std::string out;
  const double seconds = end_ > begin_ ? static_cast<double>(end_ - begin_) / kSecond : 0;
  if (seconds == 0) return "trace: no HIP call was made\n";
  print(out, "trace of %.3f s: %llu calls, %llu round trips (%.0f a second), %llu kernels\n", seconds,
        static_cast<unsigned long long>(allCalls_.count), static_cast<unsigned long long>(allWaits_.count),
        static_cast<double>(allWaits_.count) / seconds, static_cast<unsigned long long>(allKernels_.count));
  print(out, "  %.3f s in calls, %.3f s of it waiting; %.3f s on the GPU, queued %.3f ms a kernel\n",
        static_cast<double>(allCalls_.ns) / kSecond, static_cast<double>(allWaits_.ns) / kSecond,
        static_cast<double>(allKernels_.ns) / kSecond,
        allKernels_.count ? static_cast<double>(queued_) / kMillisecond / static_cast<double>(allKernels_.count) : 0);
  print(out, "  %.2f MB sent, %.2f MB received\n", static_cast<double>(sent_) / kMega,
        static_cast<double>(received_) / kMega);
  if (allKernels_.count)
    print(out, "  the GPU's clock is known within %.0f us\n", static_cast<double>(clock_) / kMicrosecond);
  const auto list = [&](const std::string& name, const Total& total, const std::string& from) {
    print(out, "    %10.3f ms %8llu x %s%s\n", static_cast<double>(total.ns) / kMillisecond,
          static_cast<unsigned long long>(total.count), name.c_str(), from.c_str());
  };
  if (!waits_.empty()) out += "  longest waits:\n";
  for (const auto& [key, total] : top(waits_)) list(key.first, total, " from " + fileName(key.second));
  if (!calls_.empty()) out += "  longest calls:\n";
  for (const auto& [name, total] : top(calls_)) list(name, total, "");
  if (!kernels_.empty()) out += "  longest kernels:\n";
  for (const auto& [name, total] : top(kernels_)) list(name, total, "");
  out += "  what would make this faster: " + advice(seconds) + "\n";
  return out;
}

}  // namespace hipr::trace
