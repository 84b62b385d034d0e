// What only libamd_smi.so.27 has this way: ROCm 10.
#pragma once

#include "amdsmi/types_7.h"

namespace hipr::smi::abi27 {

using namespace since7;

inline constexpr Version kVersion{{27, 1, 0, 0}, nullptr};
inline constexpr std::uint64_t kNoPower = ~std::uint64_t{0};
inline constexpr std::uint32_t kNoRevision = 0xFFFFFFFF;

using Metrics = MetricsOf<std::uint64_t, 549>;
static_assert(sizeof(Metrics) == 4736);
static_assert(offsetof(Metrics, engineVoltage) == 114 && offsetof(Metrics, socketPower) == 128 &&
              offsetof(Metrics, fabricRead) == 192 && offsetof(Metrics, engineClocks) == 320);

struct Enumeration {
  std::uint32_t renderNode, card, hsa, hip;
  char uuid[kText];
  std::uint32_t oamId, acceleratorId;
};
static_assert(sizeof(Enumeration) == 280);

// The last word is a pointer that callers look behind.
inline void finish(Metrics& metrics) {
  static_assert(offsetof(Metrics, rest[548]) == 4728);
  metrics.rest[548] = 0;
}
inline void finish(Enumeration& info) {
  info.oamId = info.acceleratorId = 0xFFFFFFFF;
}

// Accelerator, chip revision and external revision took the place of three reserved words.
inline void finish(Asic& asic) {
  static_assert(offsetof(Asic, reserved) + 3 * sizeof(std::uint32_t) == 824);
  asic.reserved[3] = asic.reserved[4] = asic.reserved[5] = 0xFFFFFFFF;
}

}  // namespace hipr::smi::abi27
