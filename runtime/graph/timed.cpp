#include "runtime/graph/timed.h"

#include <algorithm>

#include "base/trace.h"
#include "runtime/activity.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

// Steps that wait for others, or for the program, may need their neighbours to run beside them.
bool fitsStream(const GraphStep& step, const Stream& stream) {
  if (!step.work) return true;
  if (step.device != stream.device) return false;
  const auto* launch = std::get_if<Launch>(&*step.work);
  return launch != nullptr ? launch->start == nullptr && launch->stop == nullptr
                           : std::holds_alternative<Copy>(*step.work) || std::holds_alternative<Fill>(*step.work);
}

hipError_t give(Process& p, Stream& stream, const GraphStep& step) {
  if (!std::holds_alternative<Launch>(*step.work)) return hand(stream, *step.work, Stage::kSent);
  Launch launch = std::get<Launch>(*step.work);
  KernelWatch watch(p, stream);
  HIPR_TRY(watch.before(launch));
  HIPR_TRY(hand(stream, launch, Stage::kSent));
  watch.after(*launch.function);
  return hipSuccess;
}

std::string describe(const GraphExec& exec) {
  std::size_t kernels = 0;
  std::string first;
  for (const GraphStep& step : exec.steps) {
    const auto* launch = step.work ? std::get_if<Launch>(&*step.work) : nullptr;
    if (launch != nullptr && kernels++ == 0) first = launch->function->kernel->name();
  }
  return kernels == 0 ? "graph"
                      : "graph: " + first + (kernels > 1 ? " and " + std::to_string(kernels - 1) + " more" : "");
}

}  // namespace

hipError_t launchTimed(Process& p, Stream& stream, GraphExec& exec) {
  const bool inOrder = exec.owner == stream.owner &&
                       std::ranges::all_of(exec.steps, [&](const GraphStep& step) { return fitsStream(step, stream); });
  if (inOrder) {
    for (const GraphStep& step : exec.steps)
      if (step.work) HIPR_TRY(give(p, stream, step));
    return hipSuccess;
  }
  if (!trace::enabled()) return hand(stream, GraphLaunch{&exec}, Stage::kSent);
  KernelWatch watch(p, stream);
  HIPR_TRY(watch.beforeGraph());
  HIPR_TRY(hand(stream, GraphLaunch{&exec}, Stage::kSent));
  return watch.afterGraph(describe(exec));
}

}  // namespace hipr
