#include "backends/softgpu/host_functions.h"

#include "platform/stall_watch.h"
#include "runtime/thread_state.h"

namespace hipr::softgpu {
namespace {

constexpr std::size_t kMaxThreads = 256;  // host functions may wait for each other
constexpr auto kPatience = std::chrono::milliseconds(500);

}  // namespace

HostFunctions::HostFunctions(Discrete discrete) : discrete_(discrete), threads_(discrete.on ? 1 : kMaxThreads) {
  if (discrete.on && discrete.abortsOnViolation)
    watch_ = std::make_unique<StallWatch>(
        kPatience, "softgpu: on a GPU host functions must not wait, or they hold up all streams: one");
}

HostFunctions::~HostFunctions() = default;

void HostFunctions::run(hipHostFn_t function, void* userData, std::function<void()> done) {
  threads_.run([this, function, userData, done = std::move(done)] {
    if (watch_ != nullptr) watch_->begin();
    if (discrete_.on)
      threadState().hostFunction = discrete_.abortsOnViolation ? HostFunctionRule::kAbort : HostFunctionRule::kRefuse;
    function(userData);
    threadState().hostFunction = HostFunctionRule::kNone;
    if (watch_ != nullptr) watch_->end();
    done();
  });
}

}  // namespace hipr::softgpu
