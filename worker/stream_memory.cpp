// Words that streams write and wait for. The runtime does both by itself: the word that a stream waits for may be
// changed by work of another stream, or by the client in host memory, and neither is held back by the waiting.
#include "worker/session.h"

namespace hipr::worker {
namespace {

hipError_t giveWord(const HipTable& hip, const wire::WordStep& step, hipStream_t stream) {
  void* const at = reinterpret_cast<void*>(step.address);
  const auto narrow = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  if (waits(step.action)) {
    const auto flags = static_cast<unsigned>(step.action) - static_cast<unsigned>(WordAction::kWaitAtLeast);
    return step.bytes == 8 ? hip.hipStreamWaitValue64(stream, at, step.value, flags, step.mask)
                           : hip.hipStreamWaitValue32(stream, at, narrow(step.value), flags, narrow(step.mask));
  }
  constexpr unsigned kFlags[] = {0, 0x1000, 0x1001};
  const unsigned flags = kFlags[static_cast<unsigned>(step.action)];
  return step.bytes == 8 ? hip.hipStreamWriteValue64(stream, at, step.value, flags)
                         : hip.hipStreamWriteValue32(stream, at, narrow(step.value), flags);
}

}  // namespace

void Session::onWordSteps(const wire::WordSteps& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return;
  if (m.list.empty() || m.list.size() > kMostWordSteps) return refuse("too many words for one operation, or none");
  hipError_t error = hipSuccess;
  for (const wire::WordStep& step : m.list) {
    if (step.action > kLastWordAction || (step.bytes != 4 && step.bytes != 8)) return refuse("a malformed word");
    DeviceMemory::Span span;
    if (step.address % step.bytes || !locate(step.address, step.bytes, span)) error = hipErrorInvalidDevicePointer;
  }
  submit<wire::Opcode::kWordSteps>(s, m, error, [this, s](const wire::WordSteps& steps) {
    hipError_t given = hipSuccess;
    for (const wire::WordStep& step : steps.list)
      if (given == hipSuccess) given = giveWord(backend_.hip, step, s->native);
    return given;
  });
  for (const wire::WordStep& step : m.list) noteHostWrite(*s, step.address);
  if (hostMemory_.any()) exchange_.start();
}

}  // namespace hipr::worker
