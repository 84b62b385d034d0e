#include "runtime/trace.h"

#include <chrono>

#include "base/env.h"
#include "base/trace.h"
#include "platform/fork.h"
#include "platform/process.h"
#include "runtime/activity.h"
#include "runtime/profiler.h"

namespace hipr {
namespace {

constexpr std::chrono::seconds kPatience{10};  // for the last kernels

void giveBack() {
  const int mine = tracesAmongThem.exchange(0);
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
                     giveBack();
                   });
  tracesAmongThem = 1;
  ++profilersOn;
  ++kernelTimesWanted;
  return true;
}

void endTrace() {
  if (!trace::enabled()) return;
  giveBack();
  awaitKernelTimes(kPatience);
  trace::finish();
}

}  // namespace hipr
