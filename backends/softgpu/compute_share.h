// The share of a software GPU that a process may use. A GPU's full power is all threads of its processor at work; a
// share is so many percent of their time, however many of them it takes.
//
//   HIP_REMOTE_SOFTGPU_COMPUTE=25            this process: a quarter of each device
//   HIP_REMOTE_SOFTGPU_COMPUTE_GROUP=50:FILE all processes that name this file: half of each device together
//
// What counts is the time that threads were computing by the clock on the wall, had the processor or not. On a machine
// with too much to do shares shrink, and large ones first, because its system gives all threads the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/usage_page.h"

namespace hipr::softgpu {

// A bucket that leaks at a constant rate. It holds the moment (monotonicNs) until which what was poured in keeps it
// busy. Shared between processes; one that writes nonsense here can slow down those it shares it with, for
// kLongestPause at a time, or give them more than they should have.
class Bucket {
 public:
  Bucket(std::atomic<std::uint64_t>& until, double rate) : until_(until), rate_(rate) {}

  // So much has just been done; says when it is paid for.
  std::uint64_t pour(std::uint64_t workNs, std::uint64_t nowNs);

 private:
  std::atomic<std::uint64_t>& until_;
  double rate_;  // nanoseconds of work in a nanosecond
};

struct ShareSettings {
  unsigned processPercent = 100;
  unsigned groupPercent = 100;
  std::string groupFile;

  static ShareSettings fromEnvironment();
  bool limited() const { return processPercent < 100 || groupPercent < 100; }
  unsigned percent() const { return processPercent < groupPercent ? processPercent : groupPercent; }
};

// The file of a group, made by whoever forms it; gone when that is gone.
bool makeGroupFile(const std::string& path, unsigned mode);

// What the threads of one device's processor pay. Thread-safe.
class ComputeShare : public Pace {
 public:
  // `threads`: of the processor. Null when nothing limits this process.
  static std::unique_ptr<ComputeShare> make(int device, unsigned threads, DeviceUsage& usage);
  ComputeShare(const ShareSettings& settings, int device, unsigned threads, DeviceUsage& usage);
  ~ComputeShare() override;

  Clock::time_point computed(std::chrono::nanoseconds work) override;

 private:
  struct Page;
  DeviceUsage& usage_;
  const unsigned threads_;
  Page* const group_;
  std::atomic<std::uint64_t> ownUntil_{0};
  Bucket own_, shared_;
};

}  // namespace hipr::softgpu
