#include "runtime/trace.h"

#include <chrono>

#include "base/env.h"
#include "base/trace.h"
#include "platform/fork.h"
#include "platform/process.h"
#include "runtime/activity.h"

namespace hipr {
namespace {

constexpr std::chrono::seconds kPatience{10};  // for the last kernels

std::atomic<int> share{0};  // of profilersOn and kernelTimesWanted

void give() {
  const int mine = share.exchange(0);
  profilersOn -= mine;
  kernelTimesWanted -= mine;
}

}  // namespace

bool startTrace() {
  const auto file = envText("HIP_REMOTE_TRACE");
  if (!file) return false;
  trace::start(*file, platform::processId());
  platform::onFork([] {}, [] {},
                   [] {
                     trace::forget();
                     give();
                   });
  share = 1;
  ++profilersOn;
  ++kernelTimesWanted;
  return true;
}

void endTrace() {
  if (!trace::enabled()) return;
  give();
  awaitKernelTimes(kPatience);
  trace::finish();
}

bool profilerWantsRecords() {
  return profilersOn.load(std::memory_order_relaxed) > share.load(std::memory_order_relaxed);
}

}  // namespace hipr
