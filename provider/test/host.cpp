#include "provider/test/host.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace hipr::provider {
namespace {

// The hypervisor's order.
constexpr const char* kNames[] = {
    "AccelInit",
    "AccelShutdown",
    "AccelGetDeviceCount",
    "AccelGetAllDevices",
    "AccelGetAllDevicesTopology",
    "AccelAssignPartition",
    "AccelRemovePartition",
    "AccelSetMemHardLimit",
    "AccelSetComputeUnitHardLimit",
    "AccelSnapshot",
    "AccelResume",
    "AccelGetProcessInformation",
    "AccelGetDeviceMetrics",
    "AccelGetVendorMountLibs",
    "AccelRegisterLogCallback",
};
static_assert(sizeof(Functions) == sizeof kNames);

}  // namespace

Host& Host::get() {
  static Host* const only = new Host;
  return *only;
}

Host::Host() {
  const char* path = std::getenv("TF_ACCELERATOR_LIB_PATH");
  if (!path) path = HIPR_ACCELERATOR;
  library_ = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library_) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  auto* slot = reinterpret_cast<void**>(&functions_);
  for (const char* name : kNames) {
    if (!(*slot++ = symbol(name))) {
      std::fprintf(stderr, "%s lacks %s\n", path, name);
      std::exit(1);
    }
  }
}

void* Host::symbol(const char* name) const {
  return dlsym(library_, name);
}

void Host::onLog(const char* level, const char* text) {
  Host& host = get();
  std::lock_guard lock(host.mutex_);
  host.log_.push_back({level, text});
}

void Host::start() {
  functions_.registerLog(&onLog);
  if (functions_.init() != kSuccess) {
    for (const Line& line : takeLog()) std::fprintf(stderr, "%s: %s\n", line.level.c_str(), line.text.c_str());
  }
}

void Host::stop() {
  functions_.shutdown();
  functions_.registerLog(nullptr);
}

std::vector<Host::Line> Host::takeLog() {
  std::lock_guard lock(mutex_);
  return std::exchange(log_, {});
}

std::vector<ExtendedDeviceInfo> Host::discover() {
  std::size_t count = 0, filled = 0;
  if (functions_.deviceCount(&count) != kSuccess || count == 0) return {};
  std::vector<ExtendedDeviceInfo> devices(kGoDevices);
  if (functions_.allDevices(devices.data(), std::min(count, kGoDevices), &filled) != kSuccess) return {};
  if (filled > count) std::abort();  // Go would panic
  devices.resize(filled);
  const auto topology = std::make_unique<GoTopology>();
  functions_.topology(topology.get());
  return devices;
}

std::vector<DeviceMetrics> Host::metrics(const std::vector<std::string>& uuids) {
  std::vector<const char*> names;
  for (const std::string& uuid : uuids) names.push_back(uuid.c_str());
  std::vector<DeviceMetrics> out(uuids.size());
  if (functions_.metrics(names.data(), names.size(), out.data()) != kSuccess) out.clear();
  return out;
}

std::vector<ProcessInformation> Host::processes() {
  std::vector<ProcessInformation> out(kGoProcesses);
  std::size_t count = 0;
  if (functions_.processes(out.data(), kGoProcesses, &count) != kSuccess || count > kGoProcesses) std::abort();
  out.resize(count);
  return out;
}

}  // namespace hipr::provider
