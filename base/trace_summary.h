// What a trace comes to, in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace hipr::trace {

class Summary {
 public:
  void call(const std::string& name, std::uint64_t ns);
  void wait(const std::string& name, const std::string& module, std::uint64_t ns);
  void kernel(const std::string& name, std::uint64_t ns, std::uint64_t queuedNs);

  void span(std::uint64_t begin, std::uint64_t end);  // something happened then
  void bytes(std::uint64_t sent, std::uint64_t received) { sent_ = sent, received_ = received; }
  void clock(std::uint64_t ns) { clock_ = ns; }

  std::string text() const;

 private:
  struct Total {
    std::uint64_t count = 0, ns = 0;
    void add(std::uint64_t more) { ++count, ns += more; }
  };
  using ByName = std::map<std::string, Total>;

  std::string advice(double seconds) const;

  ByName calls_, kernels_;
  std::map<std::pair<std::string, std::string>, Total> waits_;  // by message and module
  Total allCalls_, allWaits_, allKernels_;
  std::uint64_t queued_ = 0, begin_ = 0, end_ = 0, sent_ = 0, received_ = 0, clock_ = 0;
};

}  // namespace hipr::trace
