// softgpu as a source: what its processes publish (backends/softgpu/usage_page.h). Memory and activity are true;
// clocks, power and temperatures do not exist and are absent.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "backends/softgpu/compute_share.h"
#include "backends/softgpu/platform.h"
#include "backends/softgpu/usage_page.h"
#include "telemetry/pci.h"
#include "telemetry/softgpu_usage.h"
#include "telemetry/source.h"

namespace hipr::telemetry {
namespace {

using softgpu::ProcessUsage;

// Activity is busy time over the time between two looks. Looks further apart than the longest say too little about now,
// so then there are two in quick succession.
constexpr std::uint64_t kShortest = 50'000'000, kLongest = 5'000'000'000;
constexpr std::chrono::milliseconds kPause(100);

struct Look {
  std::uint64_t atNs = 0;
  std::vector<ProcessUsage> processes;
};

std::string targetName(const char* arch) {  // "gfx90a" of "gfx90a:sramecc+:xnack-"
  const std::string text(arch);
  return text.substr(0, text.find(':'));
}

Gpu describeGpu(const DeviceInfo& device, int index) {
  const hipDeviceProp_tR0600& props = device.props;
  Gpu gpu;
  gpu.origin = Origin::Software;
  gpu.name = props.name;
  gpu.vendor = "AMD";
  gpu.uuid = "softgpu-" + softgpu::deviceId(index);
  gpu.serial = softgpu::deviceId(index);
  gpu.target = targetName(props.gcnArchName);
  gpu.bdf = pciAddress(static_cast<unsigned>(props.pciDomainID), static_cast<unsigned>(props.pciBusID),
                       static_cast<unsigned>(props.pciDeviceID));
  gpu.driverName = "softgpu";
  gpu.driverVersion = HIPR_VERSION;
  gpu.memoryType = "system memory";
  gpu.vendorId = 0x1002;
  if (const auto chip = device.attributes.get(hipDeviceAttributePciChipId))
    gpu.deviceId = static_cast<std::uint32_t>(*chip);
  gpu.memoryBytes = props.totalGlobalMem;
  gpu.computeUnits = static_cast<std::uint32_t>(props.multiProcessorCount);
  return gpu;
}

class SoftgpuSource : public Source {
 public:
  explicit SoftgpuSource(const std::vector<softgpu::Gpu>& kinds) : folder_(softgpu::usageFolder()) {
    const Platform platform = softgpu::describe(kinds, softgpu::memoryPerDevice(kinds.size()));
    const auto count = static_cast<std::uint32_t>(platform.devices.size());
    for (std::uint32_t i = 0; i < count; ++i) gpus_.push_back(describeGpu(platform.devices[i], static_cast<int>(i)));
    for (std::uint32_t from = 0; from < count; ++from) {
      for (std::uint32_t to = 0; to < count; ++to) {
        if (from == to) continue;
        const PeerInfo& peer = platform.peer(static_cast<int>(from), static_cast<int>(to));
        Link& link = links_.emplace_back();
        link.from = from;
        link.to = to;
        link.kind = LinkKind::Fabric;
        link.hops = peer.hops;
        link.accessible = peer.canAccess;
      }
    }
  }

  std::string_view kind() const override { return "softgpu"; }
  std::string libraryVersion() const override { return HIPR_VERSION; }
  const std::vector<Gpu>& gpus() const override { return gpus_; }
  const std::vector<Link>& links() const override { return links_; }

  std::vector<Reading> read() override {
    refresh();
    std::vector<Reading> out(gpus_.size());
    for (std::size_t gpu = 0; gpu < out.size(); ++gpu) {
      std::uint64_t memory = 0;
      double busy = 0;
      for (const ProcessUsage& process : now_.processes) {
        if (gpu >= process.devices.size()) continue;
        memory += process.devices[gpu].memoryBytes;
        busy += busyPercent(process, gpu);
      }
      out[gpu].takenNs = now_.atNs;
      out[gpu].memoryUsedBytes = memory;
      out[gpu].busyPercent = std::min(busy, 100.0);
    }
    return out;
  }

  std::vector<Process> processes() override {
    refresh();
    std::vector<Process> out;
    for (const ProcessUsage& process : now_.processes) {
      for (std::uint32_t gpu = 0; gpu < std::min(gpus_.size(), process.devices.size()); ++gpu) {
        const ProcessUsage::Device& device = process.devices[gpu];
        if (device.memoryBytes == 0 && device.kernels == 0 && device.busyNs == 0) continue;
        out.push_back({.gpu = gpu,
                       .pid = process.process,
                       .name = process.program,
                       .client = {},
                       .memoryBytes = device.memoryBytes,
                       .busyPercent = busyPercent(process, gpu),
                       .computeUnits = {}});
      }
    }
    return out;
  }

 private:
  Look look() const {
    const std::uint64_t now = softgpu::monotonicNs();
    return {now, softgpu::readUsage(folder_, now)};
  }

  void refresh() {
    const std::uint64_t age = softgpu::monotonicNs() - now_.atNs;
    if (age < kShortest) return;
    if (age > kLongest) {
      now_ = look();
      std::this_thread::sleep_for(kPause);
    }
    before_ = std::move(now_);
    now_ = look();
  }

  // A process that was not there before has done all its work since.
  double busyPercent(const ProcessUsage& process, std::size_t gpu) const {
    std::uint64_t earlier = 0;
    for (const ProcessUsage& p : before_.processes)
      if (p.process == process.process && p.started == process.started && gpu < p.devices.size())
        earlier = p.devices[gpu].usedNs();
    const std::uint64_t busy = process.devices[gpu].usedNs();
    const double elapsed = static_cast<double>(now_.atNs - before_.atNs);
    return busy > earlier ? std::min(100.0, static_cast<double>(busy - earlier) * 100 / elapsed) : 0.0;
  }

  const std::string folder_;
  std::vector<Gpu> gpus_;
  std::vector<Link> links_;
  Look before_, now_;
};

}  // namespace

std::string softgpuUsageFolder() {
  return softgpu::usageFolder();
}

void shareSoftgpuUsage(gid_t group) {
  const std::string folder = softgpu::usageFolder();
  if (folder.empty()) return;
  mkdir(folder.c_str(), 0700);
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info{};
  // Nobody removes what is another's; new files are the group's to read.
  if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == 0 && fchown(fd, 0, group) == 0) fchmod(fd, 03773);
  if (fd >= 0) close(fd);
}

void forgetSoftgpuUsage(pid_t process) {
  const std::string folder = softgpu::usageFolder();
  if (!folder.empty()) unlink((folder + "/" + std::to_string(process)).c_str());
}

std::string makeSoftgpuComputeFile(gid_t group) {
  const std::string folder = softgpu::usageFolder();
  if (folder.empty()) return "";
  mkdir(folder.c_str(), 0700);
  // Everybody can make a folder of that name. In one of their own they could put something else in the file's place
  // before it is given to the group, or cut it short while sessions use it.
  struct stat info{};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid()) return "";
  const std::string path = folder + "/compute-" + std::to_string(getpid());
  if (!softgpu::makeGroupFile(path, group ? 0660 : 0600)) return "";
  if (group && lchown(path.c_str(), 0, group) != 0) return "";
  return path;
}

Status openSoftgpu(SourcePtr& source) {
  std::vector<softgpu::Gpu> kinds;
  if (Status status = softgpu::configuredDevices(kinds); !status.ok()) return status;
  source = std::make_unique<SoftgpuSource>(kinds);
  return {};
}

}  // namespace hipr::telemetry
