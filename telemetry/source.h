// Where telemetry comes from. A source is used by one thread at a time; Sampler shares one among many readers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "types/gpu.h"

namespace hipr::telemetry {

class Source {
 public:
  virtual ~Source() = default;
  virtual std::string_view kind() const = 0;       // "amdsmi", "softgpu", "nvml"; that of the worker when it is remote
  virtual std::string libraryVersion() const = 0;  // for people
  virtual const std::vector<Gpu>& gpus() const = 0;
  virtual const std::vector<Link>& links() const = 0;
  virtual std::vector<Reading> read() = 0;  // one for each GPU, in the order of gpus()
  virtual std::vector<Process> processes() = 0;
  // Why the last read() or processes() has nothing to say; ok() when it has.
  virtual Status failure() const { return {}; }
};

using SourcePtr = std::unique_ptr<Source>;

Status openAmdSmi(SourcePtr& source);   // AMD's libamd_smi, by dlopen
Status openNvml(SourcePtr& source);     // NVIDIA's libnvidia-ml, by dlopen
Status openSoftgpu(SourcePtr& source);  // every process that uses softgpu on this machine

// The first of AMD's library, softgpu when HIP_REMOTE_SOFTGPU asks for it, and NVML that has a GPU.
Status openSource(SourcePtr& source);

}  // namespace hipr::telemetry
