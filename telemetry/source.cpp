// Which source this machine has.
#include "telemetry/source.h"

#include <filesystem>

#include "backends/softgpu/usage_page.h"
#include "base/env.h"

namespace hipr::telemetry {
namespace {

// Somebody may have used softgpu without naming devices.
bool softgpuWasUsed() {
  const std::string folder = softgpu::usageFolder();
  std::error_code error;
  return !folder.empty() && std::filesystem::exists(folder, error);
}

}  // namespace

Status openSource(SourcePtr& source) {
  if (envText("HIP_REMOTE_SOFTGPU")) return openSoftgpu(source);
  std::string tried;
  for (const auto open : {openAmdSmi, openNvml}) {
    const Status status = open(source);
    if (status.ok() && !source->gpus().empty()) return status;
    tried += (tried.empty() ? "" : "; ") + (status.ok() ? "a library without a GPU" : status.message());
  }
  if (softgpuWasUsed()) return openSoftgpu(source);
  return Status::notFound("no GPU with telemetry here: " + tried);
}

}  // namespace hipr::telemetry
