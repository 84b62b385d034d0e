// NVIDIA's libnvidia-ml as a source.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/monotonic.h"
#include "platform/library.h"
#include "telemetry/nvml_api.h"
#include "telemetry/pci.h"
#include "telemetry/source.h"

namespace hipr::telemetry {
namespace nvml {

Status load(Api& api) {
  std::string why;
  const auto library = platform::Library::open("libnvidia-ml.so.1", &why);
  if (!library) return Status::notFound(why);
#define HIPR_NVML_RESOLVE(member, symbol, parameters) api.member = library.function<decltype(api.member)>(#symbol);
  HIPR_NVML_FUNCTIONS(HIPR_NVML_RESOLVE)
#undef HIPR_NVML_RESOLVE
  if (api.init && api.deviceCount && api.deviceByIndex) return {};
  return Status::unsupported("libnvidia-ml.so.1 lacks the functions to list GPUs");
}

}  // namespace nvml

namespace {

using nvml::Device;

// The one output of a call, or nothing when the library or the GPU does not have it.
template <class Out, class... Parameters, class... Arguments>
Maybe<Out> get(nvml::Result (*function)(Parameters...), Arguments... arguments) {
  Out out{};
  if (!function || function(arguments..., &out) != nvml::kSuccess) return std::nullopt;
  return out;
}

template <class Function, class... Arguments>
std::string text(Function* function, Arguments... arguments) {
  char out[256] = "";
  if (!function || function(arguments..., out, sizeof out - 1) != nvml::kSuccess) return "";
  return out;
}

template <class T>
Maybe<double> scaled(Maybe<T> value, double factor) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value) * factor;
}

template <class To, class From>
Maybe<To> as(Maybe<From> value) {
  if (!value) return std::nullopt;
  return static_cast<To>(*value);
}

// "GPU-8A1B…" as a label of RFC 1123: lower case, letters, digits and hyphens.
std::string label(std::string uuid) {
  for (char& c : uuid) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  }
  return uuid.substr(0, 63);
}

class NvmlSource : public Source {
 public:
  explicit NvmlSource(const nvml::Api& api) : api_(api) {
    const unsigned count = get<unsigned>(api_.deviceCount).value_or(0);
    for (unsigned i = 0; i < count; ++i) {
      if (const auto device = get<Device>(api_.deviceByIndex, i)) {
        devices_.push_back(*device);
        gpus_.push_back(describe(*device));
      }
    }
    for (std::uint32_t from = 0; from < devices_.size(); ++from)
      for (std::uint32_t to = 0; to < devices_.size(); ++to)
        if (from != to) links_.push_back(describeLink(from, to));
  }
  ~NvmlSource() override {
    if (api_.shutdown) api_.shutdown();
  }

  std::string_view kind() const override { return "nvml"; }
  std::string libraryVersion() const override { return text(api_.libraryVersion); }
  const std::vector<Gpu>& gpus() const override { return gpus_; }
  const std::vector<Link>& links() const override { return links_; }

  std::vector<Reading> read() override {
    std::vector<Reading> out;
    for (const Device device : devices_) out.push_back(readDevice(device));
    return out;
  }

  std::vector<Process> processes() override {
    std::vector<Process> out;
    for (std::uint32_t gpu = 0; gpu < devices_.size(); ++gpu) {
      addProcesses(api_.computeProcesses, gpu, out);
      addProcesses(api_.graphicsProcesses, gpu, out);
    }
    return out;
  }

 private:
  Gpu describe(Device device) const {
    Gpu gpu;
    gpu.name = text(api_.name, device);
    gpu.vendor = gpu.manufacturer = "NVIDIA";
    gpu.uuid = label(text(api_.uuid, device));
    gpu.serial = text(api_.serial, device);
    gpu.boardModel = text(api_.boardPart, device);
    gpu.firmwareVersion = text(api_.vbios, device);
    gpu.driverName = "nvidia";
    gpu.driverVersion = text(api_.driverVersion);
    if (int major = 0, minor = 0;
        api_.computeCapability && api_.computeCapability(device, &major, &minor) == nvml::kSuccess)
      gpu.target = "sm_" + std::to_string(major) + std::to_string(minor);
    if (const auto pci = get<nvml::PciInfo>(api_.pciInfo, device)) {
      gpu.bdf = pciAddress(pci->domain, pci->bus, pci->device);
      gpu.vendorId = pci->pciDeviceId & 0xffff;
      gpu.deviceId = pci->pciDeviceId >> 16;
      gpu.subsystemVendorId = pci->pciSubSystemId & 0xffff;
      gpu.subsystemId = pci->pciSubSystemId >> 16;
    }
    if (const auto memory = get<nvml::Memory>(api_.memory, device)) gpu.memoryBytes = memory->total;
    gpu.memoryBusBits = get<unsigned>(api_.busWidth, device);
    gpu.maxEngineMHz = get<unsigned>(api_.maxClock, device, nvml::kClockSm);
    gpu.maxMemoryMHz = get<unsigned>(api_.maxClock, device, nvml::kClockMemory);
    gpu.maxPcieGeneration = get<unsigned>(api_.maxPcieGeneration, device);
    gpu.maxPcieWidth = get<unsigned>(api_.maxPcieWidth, device);
    gpu.powerCapWatts = scaled(get<unsigned>(api_.powerLimit, device), 1e-3);
    if (unsigned low = 0, high = 0; api_.powerLimits && api_.powerLimits(device, &low, &high) == nvml::kSuccess) {
      gpu.minPowerCapWatts = low * 1e-3;
      gpu.maxPowerCapWatts = high * 1e-3;
    }
    gpu.slowdownCelsius = scaled(get<unsigned>(api_.temperatureThreshold, device, nvml::kThresholdSlowdown), 1);
    gpu.shutdownCelsius = scaled(get<unsigned>(api_.temperatureThreshold, device, nvml::kThresholdShutdown), 1);
    gpu.numaNode = as<std::int32_t>(get<unsigned>(api_.numaNode, device));
    return gpu;
  }

  Maybe<std::uint64_t> memoryUsed(Device device) const {
    if (const auto memory = get<nvml::Memory2>(api_.memory2, device)) return memory->used;
    if (const auto memory = get<nvml::Memory>(api_.memory, device)) return memory->used;
    return {};
  }

  Reading readDevice(Device device) const {
    Reading r;
    r.takenNs = monotonicNs();
    r.powerWatts = scaled(get<unsigned>(api_.powerUsage, device), 1e-3);
    r.energyJoules = scaled(get<unsigned long long>(api_.energy, device), 1e-3);
    r.edgeCelsius = scaled(get<unsigned>(api_.temperature, device, nvml::kTemperatureGpu), 1);
    if (const auto busy = get<nvml::Utilization>(api_.utilization, device)) {
      r.busyPercent = busy->gpu;
      r.memoryBusyPercent = busy->memory;
    }
    r.engineMHz = get<unsigned>(api_.clock, device, nvml::kClockSm);
    r.memoryMHz = get<unsigned>(api_.clock, device, nvml::kClockMemory);
    r.memoryUsedBytes = memoryUsed(device);
    r.fanPercent = get<unsigned>(api_.fanSpeed, device);
    r.pcieGeneration = get<unsigned>(api_.pcieGeneration, device);
    r.pcieWidth = get<unsigned>(api_.pcieWidth, device);
    r.correctableErrors = as<std::uint64_t>(
        get<unsigned long long>(api_.eccErrors, device, nvml::kErrorCorrected, nvml::kCounterVolatile));
    r.uncorrectableErrors = as<std::uint64_t>(
        get<unsigned long long>(api_.eccErrors, device, nvml::kErrorUncorrected, nvml::kCounterVolatile));
    if (const auto reasons = get<unsigned long long>(api_.throttleReasons, device))
      r.throttled = (*reasons & nvml::kThrottleReasons) != 0;
    return r;
  }

  Link describeLink(std::uint32_t from, std::uint32_t to) const {
    Link link;
    link.from = from;
    link.to = to;
    link.kind = LinkKind::Pcie;
    const auto nvlink = get<int>(api_.p2pStatus, devices_[from], devices_[to], nvml::kP2pNvlink);
    if (nvlink == nvml::kStatusOk) {
      link.kind = LinkKind::Fabric;
      link.hops = 1;
    }
    if (const auto read = get<int>(api_.p2pStatus, devices_[from], devices_[to], nvml::kP2pRead))
      link.accessible = *read == nvml::kStatusOk;
    return link;
  }

  void addProcesses(nvml::Result (*list)(Device, unsigned*, nvml::ProcessInfo*), std::uint32_t gpu,
                    std::vector<Process>& out) const {
    if (!list) return;
    std::vector<nvml::ProcessInfo> found(64);
    unsigned count = 0;
    nvml::Result result = nvml::kInsufficientSize;
    for (int attempt = 0; attempt < 4 && result == nvml::kInsufficientSize; ++attempt) {
      if (count > found.size()) found.resize(std::min(count + 16, 1u << 16));
      count = static_cast<unsigned>(found.size());
      result = list(devices_[gpu], &count, found.data());
    }
    if (result != nvml::kSuccess) return;
    for (unsigned i = 0; i < std::min<std::size_t>(count, found.size()); ++i) {
      const std::uint64_t pid = found[i].pid;
      const auto same = [&](const Process& p) { return p.gpu == gpu && p.pid == pid; };
      if (std::any_of(out.begin(), out.end(), same)) continue;  // it computes and draws
      Process process;
      process.gpu = gpu;
      process.pid = pid;
      process.name = baseName(text(api_.processName, found[i].pid));
      if (found[i].usedGpuMemory != nvml::kUnknownBytes) process.memoryBytes = found[i].usedGpuMemory;
      out.push_back(std::move(process));
    }
  }

  static std::string baseName(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
  }

  const nvml::Api api_;
  std::vector<Device> devices_;
  std::vector<Gpu> gpus_;
  std::vector<Link> links_;
};

}  // namespace

Status openNvml(SourcePtr& source) {
  nvml::Api api;
  if (Status status = nvml::load(api); !status.ok()) return status;
  if (const nvml::Result result = api.init(); result != nvml::kSuccess)
    return Status::unavailable("NVIDIA's driver does not answer (nvmlInit: " + std::to_string(result) + ")");
  source = std::make_unique<NvmlSource>(api);
  return {};
}

}  // namespace hipr::telemetry
