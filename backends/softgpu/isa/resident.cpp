#include "backends/softgpu/isa/resident.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "backends/softgpu/isa/decode.h"

namespace hipr::softgpu {
namespace {

constexpr std::uint32_t kLdsGranule = 512;
// Instructions of one wave before the next one's turn. Waves of a GPU go on from a barrier side by side, and a kernel
// that lacks the barrier between a read of LDS and a write soon after it works there (rocSOLVER's potf2 is one). So the
// first turns after a barrier are short.
constexpr std::int32_t kSlice = 4096, kSliceAfterBarrier = 16;

std::uint32_t registersOf(const KernelDescriptor& d) {
  return ((d.rsrc1 & 63) + 1) * 8;
}

}  // namespace

void ResidentGroup::start(DispatchState& dispatch, std::uint64_t index) {
  const Dispatch& d = dispatch.dispatch;
  std::uint64_t groups[2] = {(d.gridSize[0] + std::uint64_t{d.groupSize[0]} - 1) / d.groupSize[0],
                             (d.gridSize[1] + std::uint64_t{d.groupSize[1]} - 1) / d.groupSize[1]};
  group_.shared = &dispatch;
  group_.id[0] = static_cast<std::uint32_t>(index % groups[0]);
  group_.id[1] = static_cast<std::uint32_t>(index / groups[0] % groups[1]);
  group_.id[2] = static_cast<std::uint32_t>(index / groups[0] / groups[1]);
  unsigned items = 1;
  for (int k = 0; k < 3; ++k) {
    size_[k] = std::min(d.groupSize[k], d.gridSize[k] - group_.id[k] * d.groupSize[k]);
    items *= size_[k];
  }
  std::uint32_t lds = d.kernel.descriptor.groupSegmentBytes + d.dynamicLdsBytes;
  group_.lds.resize((lds + kLdsGranule - 1) / kLdsGranule * kLdsGranule);
  count_ = (items + kLanes - 1) / kLanes;
  group_.waves = count_;
  slice_ = kSlice;
  while (slots_.size() < count_) slots_.push_back(std::make_unique<Slot>());
  for (unsigned k = 0; k < count_; ++k) {
    if (prepare(*slots_[k], k)) continue;
    std::lock_guard lock(dispatch.faultMutex);
    if (!dispatch.fault)
      dispatch.fault = Fault{FaultKind::kResources, "no memory for the waves of " + d.kernel.name, 0, -1, 0};
    dispatch.stop = true;
    count_ = 0;
  }
}

bool ResidentGroup::prepare(Slot& slot, unsigned index) {
  DispatchState& shared = *group_.shared;
  const Dispatch& d = shared.dispatch;
  if (!slot.registers) {
    void* memory = std::aligned_alloc(64, kMaxRows * kLanes * sizeof(std::uint32_t));
    if (!memory) return false;
    slot.registers.reset(static_cast<std::uint32_t*>(memory));
  }
  std::uint32_t perLane = (std::max(d.privateBytes, d.kernel.descriptor.privateSegmentBytes) + 15) & ~15u;
  std::uint64_t scratch = std::uint64_t{perLane} * kLanes;
  if (scratch > slot.scratchSize) {
    slot.scratch.reset(static_cast<std::uint8_t*>(std::aligned_alloc(64, scratch)));
    slot.scratchSize = slot.scratch ? scratch : 0;
    if (!slot.scratch) return false;
  }
  Wave& w = slot.wave;
  w = Wave{};
  w.v = slot.registers.get();
  std::memset(w.v, 0, registersOf(d.kernel.descriptor) * kLanes * sizeof(std::uint32_t));
  auto region = [](const std::uint8_t* begin, std::uint64_t size) {
    auto first = reinterpret_cast<std::uint64_t>(begin);
    return Region{first, first + size};
  };
  w.group = &group_;
  w.shared = &shared;
  w.code = d.kernel.code.get();
  w.scratchBytes = perLane;
  w.scratch = region(slot.scratch.get(), scratch);
  w.lds = region(group_.lds.data(), group_.lds.size());
  w.accumOffset = ((d.kernel.descriptor.rsrc3 & 63) + 1) * 4;
  w.idInGroup = index;
  initialRegisters(w, group_, size_, index);
  bool preloaded =
      (d.kernel.descriptor.kernargPreload & 0x7f) != 0;  // such kernels begin with 256 bytes for old firmware
  w.ip = w.code->at(d.kernel.entry + (preloaded ? 256 : 0));
  return w.ip != nullptr;
}

// True when the wave can run now.
bool ResidentGroup::runnable(Wave& w) {
  if (w.state == WaveState::kSleeping) w.state = WaveState::kReady;
  if (w.state == WaveState::kGws) {
    std::lock_guard lock(w.shared->gwsMutex);
    if (w.shared->gws[w.gwsResource].round != w.gwsRound) w.state = WaveState::kReady;
  }
  return w.state == WaveState::kReady;
}

// True when all remaining waves were at the barrier and may go on.
bool ResidentGroup::releaseBarrier() {
  unsigned waiting = 0, living = 0;
  for (unsigned k = 0; k < count_; ++k) {
    waiting += slots_[k]->wave.state == WaveState::kBarrier;
    living += slots_[k]->wave.state != WaveState::kEnded;
  }
  if (waiting == 0 || waiting != living) return false;
  for (unsigned k = 0; k < count_; ++k)
    if (slots_[k]->wave.state == WaveState::kBarrier) slots_[k]->wave.state = WaveState::kReady;
  slice_ = kSliceAfterBarrier;
  return true;
}

Outcome ResidentGroup::run(std::uint64_t instructions) {
  const std::atomic<bool>& stop = group_.shared->stop;
  for (std::uint64_t used = 0; used < instructions;) {
    bool busy = false, living = false;
    const std::int32_t slice = count_ == 1 ? kSlice : slice_;
    used += static_cast<std::uint64_t>(slice);
    slice_ = std::min(2 * slice, kSlice);
    for (unsigned k = 0; k < count_; ++k) {
      Wave& w = slots_[k]->wave;
      if (stop.load(std::memory_order_relaxed)) return Outcome::kDone;
      if (runnable(w)) {
        w.budget = slice;
        runWave(w);
        busy |= w.state == WaveState::kReady;
      }
      living |= w.state != WaveState::kEnded;
    }
    if (!living) return Outcome::kDone;
    busy |= releaseBarrier();
    if (!busy) return Outcome::kIdle;
  }
  return Outcome::kAgain;
}

}  // namespace hipr::softgpu
