#include "worker/reporter.h"

#include <algorithm>

#include "base/log.h"

namespace hipr::worker {
namespace {

void raise(std::atomic<std::uint64_t>& value, std::uint64_t least) {
  std::uint64_t known = value.load();
  while (known < least && !value.compare_exchange_weak(known, least)) {
  }
}

}  // namespace

bool Reporter::owesMemory(const Stream& stream) const {
  return hostMemory_.any() && stream.lastWriter.load() > stream.shown.load();
}

bool Reporter::owes(const Stream& stream) const {
  return !deliveries_.none() || (printing_ && output_) || owesMemory(stream);
}

void Reporter::show(Stream& stream, std::uint64_t position) {
  deliveries_.sendComplete();
  if (printing_ && output_) output_->drain();
  if (position <= stream.shown.load() || !owesMemory(stream)) return;
  hostMemory_.sendChanges();
  raise(stream.shown, position);
}

void Reporter::told(Stream& stream, std::uint64_t position) {
  raise(stream.told, position);
}

void Reporter::progress(Stream& stream, std::uint64_t position) {
  if (position <= stream.told.load()) return;
  told(stream, position);
  push(outbox_, wire::Opcode::kProgress, wire::Progress{stream.id, position});
}

void Reporter::failWork(const Stream& stream, hipError_t error) {
  if (error == hipSuccess) return;
  {
    std::lock_guard lock(mutex_);
    if (std::find(failures_.begin(), failures_.end(), error) != failures_.end()) return;
    failures_.push_back(error);
  }
  fail(error, "work on stream " + std::to_string(stream.id) + " of device " + std::to_string(stream.device) + " failed",
       wire::Opcode::kLaunchKernel);
}

void Reporter::fail(hipError_t error, const std::string& what, wire::Opcode opcode) {
  SessionCounters::add(outbox_.counters().errors);
  logDebug("%s: %s", what.c_str(), backend_.hip.errorName(error));
  push(outbox_, wire::Opcode::kAsyncFailure, wire::AsyncFailure{error, static_cast<std::uint16_t>(opcode), what});
}

void Reporter::forgetFailures() {
  std::lock_guard lock(mutex_);
  failures_.clear();
}

}  // namespace hipr::worker
