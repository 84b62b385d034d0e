// What a process tells this machine about its use of software GPUs: one small file per process, mapped by the process
// that writes it and read by whoever shows telemetry. It is what a kernel driver keeps about a real GPU.
//
// The files lie in a folder of the user's own. A reader trusts nothing in them and removes those of dead processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/softgpu/device_list.h"

namespace hipr::softgpu {

struct DeviceUsage {
  std::atomic<std::uint64_t> memoryBytes;
  // While no kernel runs: the nanoseconds during which one did. While one runs: kRunning, plus the moment
  // (CLOCK_MONOTONIC) at which that time would have begun had there been no pauses. One word, so that a reader needs no
  // lock.
  std::atomic<std::uint64_t> busy;
  std::atomic<std::uint64_t> kernels;  // finished
  // Of a process that has a share of the device only (compute_share.h): how much, and the time for which it had what
  // would have been all of the device.
  std::atomic<std::uint64_t> sharePercent, workNs;

  static constexpr std::uint64_t kRunning = std::uint64_t{1} << 63;
};

struct UsagePage {
  static constexpr std::uint64_t kMagic = 0x3255504754464f53;  // "SOFTGPU2"
  static constexpr std::size_t kNameSize = 64;

  std::atomic<std::uint64_t> magic;  // written last
  std::uint64_t process;
  std::uint64_t started;  // clock ticks since boot, so that a reused process number is not mistaken
  std::uint32_t devices;
  std::uint32_t reserved;
  char program[kNameSize];
  DeviceUsage device[kMaxDevices];
};

// HIP_REMOTE_SOFTGPU_USAGE, else a folder in /dev/shm named after the user. "none": usage is not told; empty here.
std::string usageFolder();

// What one living process uses, as read from its page.
struct ProcessUsage {
  struct Device {
    std::uint64_t memoryBytes = 0, busyNs = 0, kernels = 0;
    std::uint64_t sharePercent = 0, workNs = 0;  // 0 %: it is not limited
    std::uint64_t usedNs() const { return sharePercent ? workNs : busyNs; }
  };
  std::uint64_t process = 0, started = 0;
  std::string program;
  std::vector<Device> devices;
};

// Every living process of this user. `nowNs` is CLOCK_MONOTONIC.
std::vector<ProcessUsage> readUsage(const std::string& folder, std::uint64_t nowNs);
void removeDeadUsage(const std::string& folder);

std::uint64_t monotonicNs();
std::uint64_t processStartTicks(std::uint64_t process);  // 0: there is no such process

}  // namespace hipr::softgpu
