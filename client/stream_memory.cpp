// RemoteCore: words that streams write and wait for.
#include <cstring>

#include "client/remote_core.h"

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

hipError_t RemoteCore::perform(const WordSteps& work, Stream& stream, Stage) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  wire::WordSteps message{.stream = r.id};
  bool waiting = false;
  for (const WordStep& step : work.list) {
    message.list.push_back(
        {step.action, step.bytes, reinterpret_cast<std::uint64_t>(step.address), step.value, step.mask});
    waiting |= waits(step.action);
  }
  if (s.host().needsScan()) share(s, message.list);
  s.submit<Opcode::kWordSteps>(r, message, [&](std::uint64_t position) {
    if (waiting) s.streams().awaitWord(r, position);
  });
  if (s.host().anyMirrored()) s.exchangeHostMemory();
  return hipSuccess;
}

}  // namespace hipr::client
