#include "provider/provider.h"

#include <algorithm>
#include <cstring>

#include "base/env.h"
#include "provider/describe.h"
#include "provider/log.h"
#include "provider/older.h"
#include "provider/topology.h"

namespace hipr::provider {
namespace {

// A little less than the hypervisor's fastest polling, 500 ms.
constexpr int kMaxAgeMs = 400;

// Nothing may leave by exception: the caller is Go.
template <class Body>
AccelResult guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    say(Level::kError, "AMD provider: %s", error.what());
  } catch (...) {
    say(Level::kError, "AMD provider: unknown failure");
  }
  return kInternal;
}

}  // namespace

// Older libraries of AMD's do not count their users: one that is closed is closed for everybody. So the last board is
// gone before the next one opens.
std::shared_ptr<Board> Provider::board() {
  std::unique_lock lock(mutex_);
  closed_.wait(lock, [&] { return board_ || !alive_; });
  if (board_) return board_;
  telemetry::SourcePtr source;
  if (const Status status = open_(source); !status.ok() || !source) {
    say(Level::kError, "AMD provider: no telemetry: %s", status.message().c_str());
    return nullptr;
  }
  const auto age = std::chrono::milliseconds(envNumber("HIP_REMOTE_TELEMETRY_AGE_MS", kMaxAgeMs, 0, 60000));
  board_ = {new Board(std::move(source), age), [this](Board* board) { close(board); }};
  alive_ = true;
  say(Level::kInfo, "AMD provider: %zu GPUs, from %s", board_->gpus().size(), board_->sourceKind().c_str());
  return board_;
}

void Provider::close(Board* board) {
  delete board;
  {
    std::lock_guard lock(mutex_);
    alive_ = false;
  }
  closed_.notify_all();
}

AccelResult Provider::init() {
  return guarded([&] { return board() ? kSuccess : kNotFound; });
}

AccelResult Provider::shutdown() {
  return guarded([&] {
    std::shared_ptr<Board> last;  // given up outside the lock; calls under way keep it a little longer
    std::lock_guard lock(mutex_);
    last.swap(board_);
    return kSuccess;
  });
}

AccelResult Provider::deviceCount(std::size_t* count) {
  if (!count) return kInvalidParam;
  return guarded([&] {
    const auto board = this->board();
    *count = board ? board->gpus().size() : 0;
    return board ? kSuccess : kOperationFailed;
  });
}

template <class Info>
AccelResult Provider::devices(Info* out, std::size_t max, std::size_t* count) {
  if (!out || !max || !count) return kInvalidParam;
  return guarded([&] {
    *count = 0;
    const auto board = this->board();
    if (!board) return kOperationFailed;
    const std::size_t wanted = std::min(max, board->gpus().size());
    for (std::size_t i = 0; i < wanted; ++i) {
      std::memset(&out[i], 0, sizeof out[i]);
      describeDevice(board->gpus()[i], board->names()[i], static_cast<int>(i), board->sourceKind(), out[i]);
    }
    *count = wanted;
    return kSuccess;
  });
}
template AccelResult Provider::devices(ExtendedDeviceInfo*, std::size_t, std::size_t*);
template AccelResult Provider::devices(generation_a::ExtendedDeviceInfo*, std::size_t, std::size_t*);
template AccelResult Provider::devices(generation_b::ExtendedDeviceInfo*, std::size_t, std::size_t*);

template <class Table>
AccelResult Provider::topology(Table* out) {
  if (!out) return kInvalidParam;
  return guarded([&] {
    const auto board = this->board();
    if (!board) return kOperationFailed;
    fillTopology(*board, *out);
    return kSuccess;
  });
}
template AccelResult Provider::topology(HeaderTopology*);
template AccelResult Provider::topology(GoTopology*);

AccelResult Provider::metrics(const char** uuids, std::size_t count, DeviceMetrics* out) {
  if (!uuids || !count || !out) return kInvalidParam;
  return guarded([&] {
    const auto board = this->board();
    const auto readings = board ? board->readings() : nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      // A GPU that is unknown or silent has zeros: an error here would lose the metrics of all.
      std::memset(&out[i], 0, sizeof out[i]);
      if (!uuids[i]) continue;
      setText(out[i].deviceUUID, uuids[i]);
      const int gpu = board ? board->find(uuids[i]) : -1;
      if (gpu >= 0) describeMetrics(board->gpus()[gpu], (*readings)[gpu], out[i]);
    }
    return kSuccess;
  });
}

AccelResult Provider::processes(ProcessInformation* out, std::size_t max, std::size_t* count) {
  if (!out || !max || !count) return kInvalidParam;
  return guarded([&] {
    *count = 0;
    const auto board = this->board();
    if (!board) return kOperationFailed;
    const auto all = board->processes();
    for (const telemetry::Process& process : *all) {
      if (*count == max || process.gpu >= board->gpus().size()) continue;
      ProcessInformation& entry = out[(*count)++];
      std::memset(&entry, 0, sizeof entry);
      describeProcess(board->gpus()[process.gpu], board->names()[process.gpu], process, entry);
    }
    return kSuccess;
  });
}

}  // namespace hipr::provider
