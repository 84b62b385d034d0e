// What HIP keeps per thread. The hot part is plain data reached by one thread-local access, with no constructor to
// check for; what needs destruction hangs off `objects` and is made on first use.
#pragma once

#include <cstddef>
#include <vector>

#include "hip_remote/hip.h"

namespace hipr {

struct Process;
struct Device;
struct Stream;

// A launch configured by <<<>>> (or hipConfigureCall) whose kernel has not been called yet.
struct CallConfiguration {
  dim3 grid{}, block{};
  std::size_t sharedBytes = 0;
  hipStream_t stream = nullptr;
  std::vector<std::byte> arguments;  // hipSetupArgument
};

struct ThreadObjects {
  Process* owner = nullptr;              // the process the streams belong to: a forked child must not use its parent's
  std::vector<Stream*> perThreadStream;  // by device ordinal
  std::vector<Device*> contexts;         // a context is a device; the back is current
  std::vector<CallConfiguration> calls;

  ~ThreadObjects();
};

// What happens to a HIP call made from inside a host function. HIP forbids them; most devices do not mind.
enum class HostFunctionRule : unsigned char { kNone, kRefuse, kAbort };

struct ThreadState {
  hipError_t lastCall = hipSuccess;  // what hipExtGetLastError gives
  hipError_t sticky = hipSuccess;    // what hipGetLastError and hipPeekAtLastError give
  int device = 0;                    // ordinal among the visible devices
  bool deviceChosen = false;         // by hipSetDevice
  bool perThreadDefault = false;     // a null stream means this thread's own one (_spt calls)
  bool ignoresCapture = false;       // what is captured does not concern the call (some of before HIP 7)
  HostFunctionRule hostFunction = HostFunctionRule::kNone;
  hipStreamCaptureMode captureMode = hipStreamCaptureModeGlobal;
  ThreadObjects* objects = nullptr;
};

inline constinit thread_local ThreadState threadStateStorage;
inline ThreadState& threadState() {
  return threadStateStorage;
}

ThreadObjects& threadObjects();

// Sets one of the thread's switches for the calls made in a scope.
template <bool ThreadState::* Switch>
class SwitchedOn {
 public:
  SwitchedOn() : before_(threadState().*Switch) { threadState().*Switch = true; }
  ~SwitchedOn() { threadState().*Switch = before_; }
  SwitchedOn(const SwitchedOn&) = delete;
  SwitchedOn& operator=(const SwitchedOn&) = delete;

 private:
  bool before_;
};
using PerThreadDefault = SwitchedOn<&ThreadState::perThreadDefault>;  // runs calls as their _spt variants
using IgnoringCapture = SwitchedOn<&ThreadState::ignoresCapture>;

}  // namespace hipr
