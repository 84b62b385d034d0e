// What a runtime asks of a kernel in AMD's format, from its metadata. Occupancy is counted as AMD's runtime counts it.
#include <algorithm>
#include <initializer_list>

#include "code_object/code_object.h"
#include "code_object/kernarg.h"

namespace hipr::code {
namespace {

struct Simd {
  int waves;               // at most
  int vgprs, vgprGranule;  // per lane of 32, or of 64 where all waves have 64
  int sgprs;               // 0: every wave has all that there are names for
};
constexpr int kSgprGranule = 16;

bool startsWithOneOf(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](auto beginning) { return text.starts_with(beginning); });
}

bool isRdna(std::string_view arch) {
  return arch.starts_with("gfx1");
}

// gfx90a, gfx94x and gfx95x have one file for VGPRs and AGPRs, which the metadata counts together.
Simd simdOf(std::string_view arch) {
  if (startsWithOneOf(arch, {"gfx90a", "gfx94", "gfx95"})) return {8, 512, 8, 800};
  if (!isRdna(arch)) return {8, 256, 4, 800};
  if (startsWithOneOf(arch, {"gfx1100", "gfx1101", "gfx1151"})) return {16, 1536, 24, 0};
  if (startsWithOneOf(arch, {"gfx100", "gfx101"})) return {16, 1024, 8, 0};
  return {16, 1024, 16, 0};
}

std::int64_t roundUp(std::int64_t value, int granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace

Resources Kernel::resources() const {
  return {.maxGroupSize = metadata.maxFlatWorkgroupSize,
          .sharedBytes = metadata.groupFixedSize,
          .privateBytes = metadata.privateFixedSize,
          .registers = metadata.vgprCount,
          .equalGroups = metadata.uniformWorkgroupSize};
}

// From gfx10 on a unit is half a work-group processor, of which a kernel may use both halves.
int Kernel::groupsPerUnit(const Unit& unit, int groupSize) const {
  const int lanes = std::max(1, metadata.wavefrontSize != 0 ? static_cast<int>(metadata.wavefrontSize) : unit.lanes);
  const Simd simd = simdOf(unit.target);
  const int perRegister = isRdna(unit.target) && lanes == 64 ? 2 : 1;
  const int simds = isRdna(unit.target) && !metadata.workgroupProcessorMode ? 2 : 4;
  std::int64_t waves = simd.waves;
  if (metadata.vgprCount > 0)
    waves = std::min(waves, simd.vgprs / perRegister / roundUp(metadata.vgprCount, simd.vgprGranule / perRegister));
  if (simd.sgprs != 0 && metadata.sgprCount > 0)
    waves = std::min(waves, simd.sgprs / roundUp(metadata.sgprCount, kSgprGranule));
  return static_cast<int>(waves) * simds / ((groupSize + lanes - 1) / lanes);
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
