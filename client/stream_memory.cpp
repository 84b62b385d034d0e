// RemoteCore: words that streams write and wait for.
#include <algorithm>
#include <cstring>

#include "client/remote_core.h"
#include "client/work.h"

namespace hipr::client {
using wire::Opcode;

namespace {

// Words in host memory: the worker must have them, and what the program last wrote there.
void share(Session& s, std::vector<wire::WordStep>& steps) {
  std::vector<std::byte> addresses(steps.size() * sizeof(std::uint64_t));
  const auto at = [&](std::size_t i) { return addresses.data() + i * sizeof(std::uint64_t); };
  for (std::size_t i = 0; i < steps.size(); ++i) std::memcpy(at(i), &steps[i].address, sizeof(std::uint64_t));
  s.host().scanArguments(addresses);
  s.host().flush();
  for (std::size_t i = 0; i < steps.size(); ++i) std::memcpy(&steps[i].address, at(i), sizeof(std::uint64_t));
}

}  // namespace

bool isThere(const WordSteps& steps) {
  return std::ranges::all_of(steps.list, [](const WordStep& step) { return step.kind == MemoryKind::kDevice; });
}

bool waits(const WordSteps& steps) {
  return std::ranges::any_of(steps.list, [](const WordStep& step) { return hipr::waits(step.action); });
}

wire::WordSteps wordMessage(const WordSteps& steps) {
  wire::WordSteps message;
  for (const WordStep& step : steps.list)
    message.list.push_back(
        {step.action, step.bytes, reinterpret_cast<std::uint64_t>(step.address), step.value, step.mask});
  return message;
}

hipError_t RemoteCore::perform(const WordSteps& work, Stream& stream, Stage) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  wire::WordSteps message = wordMessage(work);
  message.stream = r.id;
  if (s.host().needsScan()) client::share(s, message.list);
  s.submit<Opcode::kWordSteps>(r, message, [&](std::uint64_t position) {
    if (waits(work)) s.streams().awaitWord(r, position);
  });
  if (s.host().anyMirrored()) s.exchangeHostMemory();
  return hipSuccess;
}

}  // namespace hipr::client
