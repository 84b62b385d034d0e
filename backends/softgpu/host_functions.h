// Where the program's host functions run: what hipLaunchHostFunc and hipStreamAddCallback were given.
//
// Ordinarily each has a thread of its own, so that it may wait and may call HIP. On a discrete device they share one,
// in the order in which they became due, and HIP's rules are kept: a call of HIP is refused (abi/answer.h), and with
// HIP_REMOTE_SOFTGPU_CHECK=abort a refused call or a function that waits ends the process.
#pragma once

#include <functional>
#include <memory>

#include "backends/softgpu/discrete.h"
#include "backends/softgpu/thread_pool.h"
#include "hip_remote/hip.h"

namespace hipr {
class StallWatch;
}

namespace hipr::softgpu {

class HostFunctions {
 public:
  explicit HostFunctions(Discrete discrete);
  ~HostFunctions();

  // Calls function(userData), then `done`, on another thread.
  void run(hipHostFn_t function, void* userData, std::function<void()> done);

 private:
  const Discrete discrete_;
  std::unique_ptr<StallWatch> watch_;  // null when nobody asked for it
  ThreadPool threads_;
};

}  // namespace hipr::softgpu
