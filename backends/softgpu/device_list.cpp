#include "backends/softgpu/device_list.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/env.h"

namespace hipr::softgpu {
namespace {

struct Kind {
  std::string_view name;
  Gpu gpu;
};
constexpr Kind kKinds[] = {{"gfx90a", Gpu::kGfx90a}, {"gfx942", Gpu::kGfx942}};

Status parseOne(std::string_view item, std::vector<Gpu>& out) {
  for (const Kind& kind : kKinds) {
    if (!item.starts_with(kind.name)) continue;
    const std::string_view rest = item.substr(kind.name.size());
    std::int64_t count = 1;
    if (!rest.empty()) {
      const auto number = rest.front() == 'x' ? parseNumber(std::string(rest.substr(1)), 1, kMaxDevices) : std::nullopt;
      if (!number) break;
      count = *number;
    }
    out.insert(out.end(), static_cast<std::size_t>(count), kind.gpu);
    return {};
  }
  return Status::invalid("'" + std::string(item) + "' is not a software GPU (try gfx90a, gfx942 or gfx90ax4)");
}

}  // namespace

Status parseDeviceList(std::string_view text, std::vector<Gpu>& out) {
  out.clear();
  if (text == "none") return {};
  for (;;) {
    const std::size_t comma = text.find(',');
    if (Status status = parseOne(text.substr(0, comma), out); !status.ok()) return status;
    if (out.size() > kMaxDevices) return Status::invalid("more than " + std::to_string(kMaxDevices) + " devices");
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
}

Status configuredDevices(std::vector<Gpu>& out) {
  const std::string text = envText("HIP_REMOTE_SOFTGPU").value_or("gfx90a");
  const Status status = parseDeviceList(text, out);
  return status.ok() ? status : status.within("HIP_REMOTE_SOFTGPU=" + text);
}

std::size_t memoryPerDevice(std::size_t devices) {
  constexpr std::int64_t kMiB = 1 << 20;
  const std::int64_t host = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / kMiB;
  const std::int64_t fair =
      std::max<std::int64_t>(64, host / 2 / static_cast<std::int64_t>(std::max<std::size_t>(1, devices)));
  return static_cast<std::size_t>(envNumber("HIP_REMOTE_SOFTGPU_MEMORY", fair, 1, std::int64_t{1} << 30)) * kMiB;
}

}  // namespace hipr::softgpu
