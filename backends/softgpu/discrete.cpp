#include "backends/softgpu/discrete.h"

#include <string>

#include "base/env.h"

namespace hipr::softgpu {

Status parseDiscrete(std::string_view mode, std::string_view check, Discrete& out) {
  out = {};
  if (mode == "1" || mode == "placed") {
    out.on = true;
    out.placesMemory = mode == "placed";
  } else if (!mode.empty() && mode != "0") {
    return Status::invalid("HIP_REMOTE_SOFTGPU_DISCRETE=" + std::string(mode) + ": it is 0, 1 or placed");
  }
  if (check == "abort") {
    out.abortsOnViolation = true;
  } else if (!check.empty()) {
    return Status::invalid("HIP_REMOTE_SOFTGPU_CHECK=" + std::string(check) + ": it is abort, or not set");
  }
  return {};
}

Status configuredDiscrete(Discrete& out) {
  return parseDiscrete(envText("HIP_REMOTE_SOFTGPU_DISCRETE").value_or(""),
                       envText("HIP_REMOTE_SOFTGPU_CHECK").value_or(""), out);
}

}  // namespace hipr::softgpu
