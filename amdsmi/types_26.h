// What only libamd_smi.so.26 has this way: ROCm 7.0 to 7.2.
#pragma once

#include "amdsmi/types.h"

namespace hipr::smi::abi26 {

inline constexpr Version kVersion{26, 2, 1, nullptr};
inline constexpr std::uint64_t kNoPower = 0xFFFF;  // in fields of every width: its Python package knows no other

struct Metrics {
  MetricsHead head;
  std::uint32_t engineCounter, memoryCounter;
  std::uint16_t hbmTemperature[4];
  std::uint64_t firmwareTime;
  std::uint16_t socVoltage, engineVoltage, memoryVoltage;
  std::uint64_t throttleReasons;
  std::uint16_t socketPower;
  std::uint16_t mediaEngines[4];
  std::uint32_t clockLock;
  std::uint16_t fabricWidth, fabricSpeed;
  std::uint64_t pcie[5];
  std::uint64_t fabricRead[8], fabricWritten[8];
  std::uint16_t engineClocks[8], socClocks[4];
  std::uint64_t rest[526];
};
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
