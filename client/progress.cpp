#include "client/progress.h"

namespace hipr::client {
namespace {

using platform::amountMoved;
using platform::ProgressLine;

constexpr std::uint64_t kMuchCode = 8 << 20, kMuchData = 32 << 20;

}  // namespace

ProgressLine lineOfCopy(Session& s, const Copy& copy) {
  if (!platform::progressIsSeen()) return {};
  const std::uint64_t bytes = copy.width * copy.height * copy.depth;
  const bool up = copy.from.kind != MemoryKind::kDevice, down = copy.to.kind != MemoryKind::kDevice;
  if (bytes < kMuchData || up == down) return {};
  const auto moved = [&s, up] { return up ? s.connection().outbox().bytesSent() : s.stats().received.load(); };
  const std::string what = (up ? "data to " : "data from ") + s.workerName();
  return ProgressLine(
      [=, start = moved()](double seconds) { return amountMoved(what, moved() - start, bytes, seconds); });
}

ProgressLine lineOfCode(Session& s, std::uint64_t bytes) {
  if (bytes < kMuchCode || !platform::progressIsSeen()) return {};
  const Outbox& outbox = s.connection().outbox();
  return ProgressLine([&outbox, bytes, start = outbox.bytesSent(), name = s.workerName()](double seconds) {
    const std::uint64_t sent = outbox.bytesSent() - start;
    return sent < bytes ? amountMoved("code to " + name, sent, bytes, seconds) : name + " loads code";
  });
}

ProgressLine lineOfTransfers(Session& s) {
  if (!platform::progressIsSeen() || !s.connection().transferring()) return {};
  const auto moved = [&s] { return s.connection().outbox().bytesSent() + s.stats().received.load(); };
  return ProgressLine([=, start = moved(), name = s.workerName()](double seconds) {
    return amountMoved("data to and from " + name, moved() - start, 0, seconds);
  });
}

}  // namespace hipr::client
