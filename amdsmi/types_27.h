// What only libamd_smi.so.27 has this way: ROCm 10.
#pragma once

#include "amdsmi/types.h"

namespace hipr::smi::abi27 {

inline constexpr Version kVersion{27, 1, 0, nullptr};
inline constexpr std::uint64_t kNoPower = ~std::uint64_t{0};

struct Metrics {
  MetricsHead head;
  std::uint64_t engineCounter, memoryCounter;
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
  std::uint64_t rest[548];
  void* apu;  // callers look behind it
};
static_assert(sizeof(Metrics) == 4736);
static_assert(offsetof(Metrics, engineVoltage) == 114 && offsetof(Metrics, socketPower) == 128 &&
              offsetof(Metrics, fabricRead) == 192 && offsetof(Metrics, engineClocks) == 320 &&
              offsetof(Metrics, apu) == 4728);

struct Enumeration {
  std::uint32_t renderNode, card, hsa, hip;
  char uuid[kText];
  std::uint32_t oamId, acceleratorId;
};
static_assert(sizeof(Enumeration) == 280);

inline void finish(Metrics& metrics) {
  metrics.apu = nullptr;
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
