// Kernel launches.
#include <algorithm>

#include "code_object/kernarg.h"
#include "worker/give.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

// hipExtModuleLaunchKernel counts work-items, in 32 bits.
bool workItems(const wire::LaunchKernel& m, std::uint32_t out[3]) {
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t all = m.threads[i] ? m.threads[i] : std::uint64_t{m.groups[i]} * m.block[i];
    if (all > UINT32_MAX) return false;
    out[i] = static_cast<std::uint32_t>(all);
  }
  return true;
}

// hipModuleLaunchKernel takes fewer groups than hipExtModuleLaunchKernel.
bool manyGroups(const wire::LaunchKernel& m) {
  return std::any_of(m.groups.begin(), m.groups.end(), [](std::uint32_t n) { return n > INT32_MAX; });
}

}  // namespace

bool partialGroups(const wire::LaunchKernel& m) {
  for (int i = 0; i < 3; ++i) {
    if (m.threads[i] && m.threads[i] != std::uint64_t{m.groups[i]} * m.block[i]) return true;
  }
  return false;
}

std::vector<void*> argumentPointers(const code::KernelMetadata& kernel, std::byte* arguments) {
  std::vector<void*> out;
  for (const code::KernelArg& arg : kernel.args) {
    if (!arg.hidden()) out.push_back(arguments + arg.offset);
  }
  return out;
}

void Session::onLaunchKernel(const wire::LaunchKernel& m) {
  const StreamPtr& s = stream(m.stream);
  const std::shared_ptr<Function>& function = functions_.find(m.function);
  if (!function) refuse("function " + std::to_string(m.function) + " does not exist");
  if (m.arguments.size() > wire::kMostInline) refuse("arguments of " + std::to_string(m.arguments.size()) + " bytes");
  if (!refusal_.empty()) return;

  hipError_t error = hipSuccess;
  if (!function->native) error = hipErrorInvalidDeviceFunction;
  if (error == hipSuccess && m.arguments.size() < function->argumentBytes) error = hipErrorInvalidValue;
  if (m.start || m.stop) {
    submitTimed(m, s, function, error);
  } else {
    submit<wire::Opcode::kLaunchKernel>(s, m, error,
                                        [this, function](const StreamPtr& on, const wire::LaunchKernel& l) {
                                          return launch(l, on, *function, nullptr, nullptr);
                                        });
  }
  if (!refusal_.empty()) return;
  s->lastWriter = s->sent;
  if (function->prints) reporter_.mayPrint();
  if (hostMemory_.any()) exchange_.start();
}

// A launch that records events when it begins and ends, or one of the two.
void Session::submitTimed(const wire::LaunchKernel& m, const StreamPtr& s, const std::shared_ptr<Function>& function,
                          hipError_t error) {
  const std::shared_ptr<Event> start = m.start ? event(m.start) : nullptr, stop = m.stop ? event(m.stop) : nullptr;
  if (!refusal_.empty()) return;
  const std::shared_ptr<Record> begun = start ? newRecord(*start, s) : nullptr,
                                ended = stop ? newRecord(*stop, s) : nullptr;
  for (const auto& e : {start, stop})
    if (e && error == hipSuccess) error = e->broken;
  submit<wire::Opcode::kLaunchKernel>(
      s, m, error, [this, function, begun, ended](const StreamPtr& on, const wire::LaunchKernel& l) {
        const hipError_t given =
            launch(l, on, *function, begun ? begun->native->event : nullptr, ended ? ended->native->event : nullptr);
        for (const auto& record : {begun, ended})
          if (record) order_.wasGiven(*record);
        return given;
      });
}

hipError_t Session::launch(const wire::LaunchKernel& m, const StreamPtr& s, const Function& function, hipEvent_t start,
                           hipEvent_t stop) {
  const HipTable& hip = backend_.hip;
  backend_.use(s->device);
  auto* arguments = const_cast<std::byte*>(m.arguments.data());
  std::size_t size = m.arguments.size();
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};

  if (m.cooperative) {
    std::vector<void*> params = argumentPointers(function.kernel->metadata, arguments);
    if (start) hip.hipEventRecord(start, s->native);
    const hipError_t error =
        hip.hipModuleLaunchCooperativeKernel(function.native, m.groups[0], m.groups[1], m.groups[2], m.block[0],
                                             m.block[1], m.block[2], m.sharedBytes, s->native, params.data());
    if (stop) hip.hipEventRecord(stop, s->native);
    return error;
  }
  if (start || stop || partialGroups(m) || manyGroups(m)) {
    std::uint32_t all[3];
    if (!workItems(m, all)) return hipErrorInvalidConfiguration;
    return hip.hipExtModuleLaunchKernel(function.native, all[0], all[1], all[2], m.block[0], m.block[1], m.block[2],
                                        m.sharedBytes, s->native, nullptr, extra, start, stop, 0);
  }
  return hip.hipModuleLaunchKernel(function.native, m.groups[0], m.groups[1], m.groups[2], m.block[0], m.block[1],
                                   m.block[2], m.sharedBytes, s->native, nullptr, extra);
}

}  // namespace hipr::worker
