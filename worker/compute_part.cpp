#include "worker/compute_part.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/env.h"
#include "base/log.h"

namespace hipr::worker {
namespace {

// gfx1030 and all that follow: a multiprocessor is two compute units, and a mask must have both.
bool rdna(const char* arch) {
  return std::string(arch).starts_with("gfx1");
}

std::string fileFor(const std::string& folder, const DeviceInfo& device) {
  char name[64];
  std::snprintf(name, sizeof name, "/%04x-%02x-%02x", device.props.pciDomainID, device.props.pciBusID,
                device.props.pciDeviceID);
  return folder + name;
}

bool lock(int file, std::uint32_t first, std::uint32_t count) {
  struct flock range{};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = count;
  return fcntl(file, F_OFD_SETLK, &range) == 0;
}

// Units that nobody else has, or the first ones where there are none left. -1 when the folder cannot be used.
int claim(const std::string& path, ComputeUnits& units) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return -1;
  fchmod(file, 0666);  // for workers that are other users
  for (std::uint32_t first = 0; first + units.count <= units.total; ++first) {
    if (!lock(file, first, units.count)) continue;
    units.first = first;
    return file;
  }
  logInfo("more is promised of a GPU than it has: its compute units are shared with another worker");
  return file;
}

}  // namespace

std::uint32_t unitsFor(std::uint32_t total, std::uint32_t percent) {
  return std::clamp((total * percent + 50) / 100, 1u, std::max(1u, total));
}

std::string ComputeUnits::list() const {
  const std::uint32_t straight = std::min(count, total - first);
  std::string text = std::to_string(first * bits) + "-" + std::to_string((first + straight) * bits - 1);
  if (count > straight) text += ",0-" + std::to_string((count - straight) * bits - 1);
  return text;
}

std::vector<std::uint32_t> ComputeUnits::translate(const std::vector<std::uint32_t>& mask) const {
  const std::uint32_t all = total * bits;
  std::vector<std::uint32_t> out((all + 31) / 32);
  for (std::uint32_t bit = 0; bit < std::min<std::size_t>(count * bits, mask.size() * 32); ++bit) {
    if (!(mask[bit / 32] >> bit % 32 & 1)) continue;
    const std::uint32_t at = (first * bits + bit) % all;
    out[at / 32] |= 1u << at % 32;
  }
  return out;
}

void ComputePart::tellRuntime(const std::vector<std::int32_t>& numbers) const {
  if (devices.empty()) return;
  std::string masks;
  for (std::size_t i = 0; i < std::min(devices.size(), numbers.size()); ++i) {
    if (!masks.empty()) masks += ";";
    masks += std::to_string(numbers[i]) + ":" + devices[i].list();
  }
  setenv("HSA_CU_MASK", masks.c_str(), 1);
  unsetenv("HSA_CU_MASK_SKIP_INIT");
  setenv("HIP_REMOTE_SOFTGPU_COMPUTE", std::to_string(sessionPercent).c_str(), 1);
  if (workerPercent < 100) {
    const std::string group = std::to_string(workerPercent) + ":" + groupFile;
    setenv("HIP_REMOTE_SOFTGPU_COMPUTE_GROUP", group.c_str(), 1);
  }
}

ComputeParts::~ComputeParts() {
  for (const int file : locks_) close(file);
  if (!groupFile_.empty() && getpid() == owner_) unlink(groupFile_.c_str());
}

Status ComputeParts::take(std::uint32_t workerPercent, std::uint32_t sessionPercent, const std::string& folder,
                          bool software, Platform& platform) {
  if (workerPercent >= 100 && sessionPercent >= 100) return {};
  workerPercent_ = workerPercent;
  sessionPercent_ = sessionPercent;
  if (!software && (envText("HIP_VISIBLE_DEVICES") || envText("CUDA_VISIBLE_DEVICES")))
    return Status::invalid(
        "with a limit on compute units, choose GPUs by ROCR_VISIBLE_DEVICES: the limits are for its numbers");
  if (!folder.empty()) mkdir(folder.c_str(), 0777);
  for (DeviceInfo& device : platform.devices) {
    if (!std::string(device.props.gcnArchName).starts_with("gfx"))
      return Status::unsupported("the compute units of " + std::string(device.props.name) + " cannot be limited");
    ComputeUnits units;
    units.total = static_cast<std::uint32_t>(device.props.multiProcessorCount);
    units.count = unitsFor(units.total, workerPercent);
    units.bits = rdna(device.props.gcnArchName) ? 2 : 1;
    if (const int file = software || folder.empty() ? -1 : claim(fileFor(folder, device), units); file >= 0)
      locks_.push_back(file);
    worker_.push_back(units);
    const auto seen = static_cast<int>(std::min(units.count, unitsFor(units.total, sessionPercent)));
    device.props.multiProcessorCount = seen;
    device.attributes.set(hipDeviceAttributeMultiprocessorCount, seen);
  }
  return {};
}

ComputePart ComputeParts::of(int seat) const {
  ComputePart part{worker_, sessionPercent_, workerPercent_, groupFile_};
  for (ComputeUnits& units : part.devices) {
    const std::uint32_t own = std::min(units.count, unitsFor(units.total, sessionPercent_));
    const std::uint32_t places = units.count / own;  // beside each other, as long as there is room
    units.first += static_cast<std::uint32_t>(seat) % places * own;
    units.count = own;
  }
  return part;
}

}  // namespace hipr::worker
