#include "telemetry/target.h"

#include <algorithm>
#include <numeric>

#include "base/env.h"
#include "telemetry/remote.h"

namespace hipr::telemetry {

Status openTarget(SourcePtr& source) {
  if (envText(kTargetVariable) == "softgpu") return openSoftgpu(source);
  return openRemote(source);
}

std::vector<std::size_t> inOrderOfHip(const std::vector<Gpu>& gpus) {
  std::vector<std::size_t> order(gpus.size());
  std::iota(order.begin(), order.end(), 0);
  if (std::ranges::none_of(gpus, [](const Gpu& gpu) { return gpu.hipDevice.has_value(); })) return order;
  std::erase_if(order, [&](std::size_t i) { return !gpus[i].hipDevice; });
  std::ranges::sort(order, {}, [&](std::size_t i) { return *gpus[i].hipDevice; });
  return order;
}

}  // namespace hipr::telemetry
