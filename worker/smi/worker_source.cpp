// The source of this worker's own GPUs.
#include <cstring>

#include "base/log.h"
#include "telemetry/pci.h"
#include "worker/smi/station.h"

namespace hipr::worker {
namespace {

using telemetry::Gpu;

// What HIP says about its devices: names and sizes, and no telemetry.
class PlatformSource : public telemetry::Source {
 public:
  explicit PlatformSource(const Platform& platform) {
    for (const DeviceInfo& device : platform.devices) {
      const hipDeviceProp_tR0600& props = device.props;
      Gpu& gpu = gpus_.emplace_back();
      gpu.name.assign(props.name, strnlen(props.name, sizeof props.name));
      gpu.bdf = deviceAddress(props);
      gpu.memoryBytes = props.totalGlobalMem;
      complete(gpu, props);
    }
  }
  std::string_view kind() const override { return "hip"; }
  std::string libraryVersion() const override { return ""; }
  const std::vector<Gpu>& gpus() const override { return gpus_; }
  const std::vector<telemetry::Link>& links() const override { return links_; }
  std::vector<telemetry::Reading> read() override { return std::vector<telemetry::Reading>(gpus_.size()); }
  std::vector<telemetry::Process> processes() override { return {}; }

 private:
  std::vector<Gpu> gpus_;
  std::vector<telemetry::Link> links_;
};

}  // namespace

bool isSoftgpu(const Platform& platform) {
  return !platform.devices.empty() && std::strncmp(platform.devices[0].props.name, "Software GPU", 12) == 0;
}

std::string deviceAddress(const hipDeviceProp_tR0600& props) {
  return telemetry::pciAddress(static_cast<unsigned>(props.pciDomainID), static_cast<unsigned>(props.pciBusID),
                               static_cast<unsigned>(props.pciDeviceID));
}

void complete(Gpu& gpu, const hipDeviceProp_tR0600& props) {
  const std::string arch(props.gcnArchName, strnlen(props.gcnArchName, sizeof props.gcnArchName));
  if (gpu.target.empty()) gpu.target = arch.substr(0, arch.find(':'));
  if (!gpu.computeUnits && props.multiProcessorCount > 0)
    gpu.computeUnits = static_cast<std::uint32_t>(props.multiProcessorCount);
}

Status openWorkerSource(const Platform& platform, telemetry::SourcePtr& source) {
  if (isSoftgpu(platform)) return telemetry::openSoftgpu(source);
  const Status status = telemetry::openSource(source);
  if (status.ok() || platform.devices.empty()) return status;
  logInfo("telemetry: %s; clients see the devices without readings", status.message().c_str());
  source = std::make_unique<PlatformSource>(platform);
  return {};
}

}  // namespace hipr::worker
