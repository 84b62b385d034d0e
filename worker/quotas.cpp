#include "worker/quotas.h"

#include <algorithm>

#include "base/env.h"
#include "worker/session_counters.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kMiB = 1 << 20, kGiB = 1 << 30, kTiB = std::uint64_t{1} << 40;

// In the order of Quota.
constexpr QuotaKind kKinds[kQuotas] = {
    {"device-memory", 128 * kTiB, "bytes of the memory of each GPU"},
    {"streams", 4096, "streams"},
    {"events", 1 << 17, "events"},
    {"modules", 1 << 16, "loaded modules"},
    {"functions", 1 << 20, "kernels that were looked up"},
    {"images", 1 << 17, "arrays, textures and surfaces"},
    {"code-memory", 8 * kGiB, "bytes of loaded code, and of graphs"},
    {"host-memory", 64 * kGiB, "bytes of host memory that kernels reach"},
    {"staging", 4 * kGiB, "bytes of pinned memory for copies"},
    {"operations", 1 << 19, "operations that are not done"},
    {"held-memory", 512 * kMiB, "bytes of operations that wait for the client"},
    {"waits", 1 << 16, "unanswered synchronizations"},
    {"threads", 64, "threads that wait for the GPU"},
    {"compute", 100, "percent of the compute units of each GPU", 100},
};

}  // namespace

const QuotaKind& kindOf(Quota quota) {
  return kKinds[static_cast<std::size_t>(quota)];
}

Limits::Limits() {
  for (std::size_t i = 0; i < kQuotas; ++i) values_[i] = kKinds[i].standard;
}

Status Limits::set(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return name == k.name; });
  if (equals == std::string::npos || kind == std::end(kKinds))
    return Status::invalid("\"" + text + "\" is not NAME=VALUE with one of these names:\n" + help());
  std::uint64_t value = 0;
  if (Status status = parseAmount(text.substr(equals + 1), value); !status.ok()) return status;
  if (value > kind->most) return Status::invalid("\"" + text + "\": at most " + std::to_string(kind->most));
  values_[static_cast<std::size_t>(kind - std::begin(kKinds))] = value;
  return {};
}

std::string Limits::help() {
  std::string lines;
  for (const QuotaKind& kind : kKinds) {
    std::string value = std::to_string(kind.standard);
    if (kind.standard % kTiB == 0) {
      value = std::to_string(kind.standard / kTiB) + "T";
    } else if (kind.standard % kGiB == 0) {
      value = std::to_string(kind.standard / kGiB) + "G";
    } else if (kind.standard % kMiB == 0) {
      value = std::to_string(kind.standard / kMiB) + "M";
    }
    std::string line = std::string("  ") + kind.name;
    line.resize(std::max<std::size_t>(line.size() + 1, 16), ' ');
    line += value;
    line.resize(std::max<std::size_t>(line.size() + 1, 25), ' ');
    lines += line + kind.what + "\n";
  }
  return lines;
}

Meter::Meter(const Limits& limits, SessionCounters& counters) : limits_(limits), counters_(counters) {
  for (std::size_t i = 0; i < kQuotas; ++i) counters_.limit[i].store(limits_[static_cast<Quota>(i)]);
}

Meter::Share Meter::take(Quota quota, std::uint64_t amount) {
  const std::size_t kind = static_cast<std::size_t>(quota);
  std::atomic<std::uint64_t>& used = used_->amount[kind];
  std::uint64_t now = used.load(std::memory_order_relaxed);
  do {
    if (amount > limits_[quota] || now > limits_[quota] - amount) {
      SessionCounters::add(counters_.refusals[kind]);
      return nullptr;
    }
  } while (!used.compare_exchange_weak(now, now + amount, std::memory_order_relaxed));
  SessionCounters::Count& shown = counters_.used[kind];
  SessionCounters::add(shown, amount);
  return Share(used_.get(), [keep = used_, &used, &shown, amount](void*) {
    used.fetch_sub(amount, std::memory_order_relaxed);
    shown.fetch_sub(amount, std::memory_order_relaxed);
  });
}

}  // namespace hipr::worker
