// A workgroup that has been started: its waves, registers, LDS and scratch. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/softgpu/isa/wave.h"

namespace hipr::softgpu {

enum class Outcome : std::uint8_t {
  kDone,   // every wave ended (or the dispatch was stopped)
  kAgain,  // its time is up
  kIdle,   // all waves sleep or wait for other workgroups
};

// Objects are reused for other workgroups, also of other dispatches: memory is the expensive part.
class ResidentGroup {
 public:
  // `index` counts workgroups with x fastest.
  void start(DispatchState& dispatch, std::uint64_t index);
  // Runs all waves for about `instructions` each.
  Outcome run(std::uint64_t instructions);

  unsigned waveCount() const { return count_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Slot {
    Wave wave;
    std::unique_ptr<std::uint32_t[], Free> registers;
    std::unique_ptr<std::uint8_t[], Free> scratch;
    std::uint64_t scratchSize = 0;
  };

  bool prepare(Slot& slot, unsigned index);
  bool runnable(Wave& w);
  bool releaseBarrier();

  Workgroup group_;
  std::uint32_t size_[3] = {};  // work-items; less than the dispatch's in partial workgroups
  std::vector<std::unique_ptr<Slot>> slots_;
  unsigned count_ = 0;
  std::int32_t slice_ = 0;  // of the next turn
};

// The registers a wave starts with (AMDGPUUsage, "Initial Kernel Execution State").
void initialRegisters(Wave& w, const Workgroup& group, const std::uint32_t size[3], unsigned index);

}  // namespace hipr::softgpu
