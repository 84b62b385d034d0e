// What only libamd_smi.so.26 has this way: ROCm 7.0 to 7.2.
#pragma once

#include "amdsmi/types_7.h"

namespace hipr::smi::abi26 {

using namespace since7;

inline constexpr Version kVersion{{26, 2, 1, 0}, nullptr};
inline constexpr std::uint64_t kNoPower = 0xFFFF;  // in fields of every width: its Python package knows no other
inline constexpr std::uint32_t kNoRevision = 0xFFFF;

using Metrics = MetricsOf<std::uint32_t, 526>;
static_assert(sizeof(Metrics) == 4544);
static_assert(offsetof(Metrics, engineVoltage) == 106 && offsetof(Metrics, socketPower) == 120 &&
              offsetof(Metrics, fabricRead) == 184 && offsetof(Metrics, engineClocks) == 312);

struct Enumeration {
  std::uint32_t renderNode, card, hsa, hip;
  char uuid[kText];
};
static_assert(sizeof(Enumeration) == 272);

// apu_metrics came later: nothing of ours lies there.
inline void finish(Metrics&) {}
inline void finish(Enumeration&) {}
inline void finish(Asic&) {}

}  // namespace hipr::smi::abi26
