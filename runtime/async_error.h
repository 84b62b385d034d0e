// A failure that happened after its call had returned: a faulted kernel, a posted call that the worker refused, a lost
// worker. As in HIP, later calls that use a device of the same core report it. The log says at once which call it was.
#pragma once

#include <atomic>
#include <string>

#include "hip_remote/hip.h"

namespace hipr {

class Core;
struct Device;

// Of one core. Thread-safe.
class AsyncError {
 public:
  void keep(hipError_t error);    // the first, until clear(): all that the core does from now on is in doubt
  void report(hipError_t error);  // once: one operation has failed, and nothing else is wrong
  hipError_t kept() const { return kept_.load(std::memory_order_relaxed); }  // hipSuccess when there is none
  hipError_t take() {                                                        // either; a reported one is gone then
    if (kept() != hipSuccess || passing_.load(std::memory_order_relaxed) == hipSuccess) [[likely]]
      return kept();
    return passing_.exchange(hipSuccess);
  }
  void clear();

 private:
  std::atomic<hipError_t> kept_{hipSuccess}, passing_{hipSuccess};
};

// Logs `what` (naming the call or kernel) and keeps the first error of that core until hipDeviceReset. Thread-safe.
void raiseAsyncError(Core& core, hipError_t error, const std::string& what);
hipError_t asyncError(const Device& device);  // of its core
hipError_t asyncError();                      // of the current device's core, if it is one that stays

}  // namespace hipr
