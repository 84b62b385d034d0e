// The part of each GPU's compute units that clients get: one for the whole worker (TensorFusion's
// TF_CUDA_SM_PERCENT_LIMIT), and within it one for each session (--limit compute=PERCENT).
//
// AMD's runtime is told by HSA_CU_MASK before it is loaded: it narrows every queue of the process, those of the null
// stream and of copies included, and a mask that a client asks for narrows it further. softgpu is told how much of its
// threads' time a session may have, and all sessions together (backends/softgpu/compute_share.h). A client sees a GPU
// of so many units, because programs that need all of their blocks running at once count them.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "types/platform.h"

namespace hipr::worker {

struct ComputeUnits {  // of one device: `count` from `first` on, and after the last one the first
  std::uint32_t first = 0, count = 0, total = 0;
  std::uint32_t bits = 1;  // of a mask for each of them: RDNA's are pairs
  static auto fields(auto& m) { return std::tie(m.first, m.count, m.total, m.bits); }

  std::string list() const;  // "8-15,0-3", in bits
  // A mask of the client's, who counts from its own first unit.
  std::vector<std::uint32_t> translate(const std::vector<std::uint32_t>& mask) const;
};

struct ComputePart {
  std::vector<ComputeUnits> devices;  // in the client's order; empty: nothing is limited
  std::uint32_t sessionPercent = 100, workerPercent = 100;
  std::string groupFile;  // for softgpu, in which its sessions add up what they use
  static auto fields(auto& m) { return std::tie(m.devices, m.sessionPercent, m.workerPercent, m.groupFile); }

  // Before the runtime is loaded, whose numbers for the devices these are.
  void tellRuntime(const std::vector<std::int32_t>& numbers) const;
};

std::uint32_t unitsFor(std::uint32_t total, std::uint32_t percent);  // at least one

// What a worker gives out. Workers of one machine whose parts are smaller than a GPU take different ones as long as
// there are any: each holds locks on the bytes, one for each unit, of a file for each GPU in `folder`.
class ComputeParts {
 public:
  ComputeParts() = default;
  ~ComputeParts();
  ComputeParts(const ComputeParts&) = delete;
  ComputeParts& operator=(const ComputeParts&) = delete;

  // And shows the devices as small as they are to be. `software`: they are softgpu's.
  Status take(std::uint32_t workerPercent, std::uint32_t sessionPercent, const std::string& folder, bool software,
              Platform& platform);
  void use(std::string groupFile) { groupFile_ = std::move(groupFile); }  // until this ends, which removes it
  bool limited() const { return !worker_.empty(); }
  ComputePart of(int seat) const;

 private:
  std::vector<ComputeUnits> worker_;
  std::uint32_t workerPercent_ = 100, sessionPercent_ = 100;
  std::string groupFile_;
  std::vector<int> locks_;
  const pid_t owner_ = getpid();
};

}  // namespace hipr::worker
