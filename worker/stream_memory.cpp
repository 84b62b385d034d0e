// Words that streams write and wait for. The runtime does both by itself: the word that a stream waits for may be
// changed by work of another stream, or by the client in host memory, and neither is held back by the waiting.
#include <algorithm>

#include "worker/give.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

hipError_t giveWord(const HipTable& hip, const wire::WordStep& step, hipStream_t stream) {
  const auto narrow = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const unsigned flags = flagsOf(step.action);
  void* const word = at(step.address);
  if (waits(step.action)) {
    return step.bytes == 8 ? hip.hipStreamWaitValue64(stream, word, step.value, flags, step.mask)
                           : hip.hipStreamWaitValue32(stream, word, narrow(step.value), flags, narrow(step.mask));
  }
  return step.bytes == 8 ? hip.hipStreamWriteValue64(stream, word, step.value, flags)
                         : hip.hipStreamWriteValue32(stream, word, narrow(step.value), flags);
}

}  // namespace

bool wellFormed(const wire::WordSteps& m) {
  return !m.list.empty() && m.list.size() <= kMostWordSteps && std::ranges::all_of(m.list, [](const auto& step) {
    return step.action <= kLastWordAction && (step.bytes == 4 || step.bytes == 8);
  });
}

hipError_t giveWords(const HipTable& hip, const wire::WordSteps& m, hipStream_t stream) {
  hipError_t given = hipSuccess;
  for (const wire::WordStep& step : m.list)
    if (given == hipSuccess) given = giveWord(hip, step, stream);
  return given;
}

bool Session::located(const wire::WordSteps& m) {
  DeviceMemory::Span span;
  return std::ranges::all_of(m.list, [&](const wire::WordStep& step) {
    return step.address % step.bytes == 0 && locate(step.address, step.bytes, span);
  });
}

void Session::onWordSteps(const wire::WordSteps& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return;
  if (!wellFormed(m)) return refuse("malformed words, too many of them, or none");
  submit<wire::Opcode::kWordSteps>(
      s, m, located(m) ? hipSuccess : hipErrorInvalidDevicePointer,
      [this](const StreamPtr& on, const wire::WordSteps& steps) { return giveWords(backend_.hip, steps, on->native); },
      m.list.size());
  for (const wire::WordStep& step : m.list) noteHostWrite(*s, step.address);
  if (hostMemory_.any()) exchange_.start();
}

}  // namespace hipr::worker
