// What a runtime asks of a kernel in AMD's format, from its metadata. Occupancy follows the rules of gfx9 and later.
#include <algorithm>

#include "code_object/code_object.h"
#include "code_object/kernarg.h"

namespace hipr::code {
namespace {

constexpr int kSimdsPerUnit = 4;

struct RegisterFile {
  int vgprs, vgprGranule;  // per lane of a SIMD
  int sgprs, sgprGranule;  // per SIMD; 0: never a limit
};

// gfx90a and gfx94x have one file for VGPRs and AGPRs (the metadata counts them together); others have 256. From gfx10
// on every wave has all its SGPRs.
RegisterFile registerFile(std::string_view arch) {
  if (arch.starts_with("gfx90a") || arch.starts_with("gfx94") || arch.starts_with("gfx95")) return {512, 8, 800, 16};
  if (arch.starts_with("gfx9")) return {256, 4, 800, 16};
  return {1024, 8, 0, 1};
}

int roundUp(int value, int granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace

Resources Kernel::resources() const {
  return {.maxGroupSize = metadata.maxFlatWorkgroupSize,
          .sharedBytes = metadata.groupFixedSize,
          .privateBytes = metadata.privateFixedSize,
          .registers = metadata.vgprCount};
}

int Kernel::groupsPerUnit(const Unit& unit, int groupSize) const {
  const int lanes = std::max(1, metadata.wavefrontSize != 0 ? static_cast<int>(metadata.wavefrontSize) : unit.lanes);
  const RegisterFile file = registerFile(unit.target);
  int waves = std::max(1, unit.workItems / lanes / kSimdsPerUnit);  // per SIMD
  if (metadata.vgprCount > 0)
    waves = std::min(waves, file.vgprs / roundUp(static_cast<int>(metadata.vgprCount), file.vgprGranule));
  if (file.sgprs != 0 && metadata.sgprCount > 0)
    waves = std::min(waves, file.sgprs / roundUp(static_cast<int>(metadata.sgprCount), file.sgprGranule));
  return waves * kSimdsPerUnit / ((groupSize + lanes - 1) / lanes);
}

bool Kernel::wantsBarrierAcrossDevices() const {
  return std::any_of(metadata.args.begin(), metadata.args.end(),
                     [](const KernelArg& arg) { return arg.kind == ArgKind::kHiddenMultigridSyncArg; });
}

std::optional<GpuKernel::Place> Kernel::argument(std::size_t index) const {
  for (const KernelArg& arg : metadata.args)
    if (!arg.hidden() && index-- == 0) return Place{arg.offset, arg.size};
  return std::nullopt;
}

std::uint32_t Kernel::argumentBytes() const {
  return explicitSize(metadata);
}

std::vector<std::size_t> Kernel::argumentOffsets() const {
  std::vector<std::size_t> offsets;
  for (const KernelArg& arg : metadata.args)
    if (!arg.hidden()) offsets.push_back(arg.offset);
  return offsets;
}

Status Kernel::packParams(void* const* params, std::span<std::byte> room) const {
  return code::packParams(metadata, params, room);
}

Status Kernel::packBuffer(Bytes buffer, std::span<std::byte> room) const {
  return code::packBuffer(metadata, buffer, room);
}

}  // namespace hipr::code
