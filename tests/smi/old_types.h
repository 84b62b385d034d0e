// Structures of libamd_smi 24.x as the fake library of that age writes them: ROCm 6.1 (24.5) and 6.3 (24.7). Declared
// as C structures, so that the offsets the telemetry source reads by are checked against a second opinion.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amdsmi/types.h"

namespace fake {

struct VersionWords {
  std::uint32_t words[4];
  const char* build;
};
static_assert(sizeof(VersionWords) == 24);

struct OldPower {
  std::uint32_t current, average, engineVoltage, socVoltage, memoryVoltage, limit;
  std::uint32_t reserved[11];
};
static_assert(sizeof(OldPower) == 68);

struct OldProcess {
  char name[32];
  std::uint32_t pid;
  std::uint64_t memory;
  std::uint64_t engineNs, encoderNs;
  std::uint32_t reserved0[12];
  std::uint64_t gtt, cpu, vram;
  std::uint32_t reserved1[10];
  char container[32];
  std::uint32_t reserved2[4];
};
static_assert(sizeof(OldProcess) == 224 && offsetof(OldProcess, vram) == 128);

struct OldDriver {
  char version[64], date[64], name[64];
};
static_assert(sizeof(OldDriver) == 192);

struct OldVbios {
  char name[64], date[32], part[64], version[32];
  std::uint32_t reserved[16];
};
static_assert(sizeof(OldVbios) == 256);

template <std::size_t kRest>
struct OldMetrics {
  hipr::smi::MetricsHead head;
  std::uint32_t engineCounter, memoryCounter;
  std::uint16_t hbmTemperature[4];
  std::uint64_t firmwareTime;
  std::uint16_t socVoltage, engineVoltage, memoryVoltage;
  std::uint64_t throttleReasons;
  std::uint16_t socketPower, mediaEngines[4];
  std::uint32_t clockLock;
  std::uint16_t fabricWidth, fabricSpeed;
  std::uint64_t pcie[5], fabricRead[8], fabricWritten[8];
  std::uint16_t engineClocks[8];
  std::uint64_t rest[kRest];
};

namespace v24_5 {  // ROCm 6.1
struct Asic {
  char name[64];
  std::uint32_t vendorId;
  char vendor[64];
  std::uint32_t subvendorId;
  std::uint64_t deviceId;
  std::uint32_t revision;
  char serial[32];
  std::uint16_t oamId, reserved[37];
};
static_assert(sizeof(Asic) == 256);
struct Board {
  char model[32], serial[32], fru[32], product[128], manufacturer[32];
  std::uint32_t reserved[32];
};
static_assert(sizeof(Board) == 384);
struct Vram {
  std::uint32_t type, vendor;
  std::uint64_t megabytes;
};
static_assert(sizeof(Vram) == 16);
using Driver = OldDriver;
using Vbios = OldVbios;
using Power = OldPower;
using Process = OldProcess;
using Metrics = OldMetrics<12>;
static_assert(sizeof(Metrics) == 424);
inline constexpr std::uint32_t kHbm = 6;
}  // namespace v24_5

namespace v24_7 {  // ROCm 6.3
struct Asic {
  char name[256];
  std::uint32_t vendorId;
  char vendor[64];
  std::uint32_t subvendorId;
  std::uint64_t deviceId;
  std::uint32_t revision;
  char serial[32];
  std::uint32_t oamId, computeUnits;
  std::uint64_t target;
  std::uint32_t reserved[16];
};
static_assert(sizeof(Asic) == 456);
struct Board {
  char model[256], serial[32], fru[32], product[256], manufacturer[64];
  std::uint32_t reserved[32];
};
static_assert(sizeof(Board) == 768);
struct Vram {
  std::uint32_t type, vendor;
  std::uint64_t megabytes;
  std::uint32_t bits;
  std::uint64_t reserved[5];
};
static_assert(sizeof(Vram) == 64);
using Driver = OldDriver;
using Vbios = OldVbios;
using Power = OldPower;
using Process = OldProcess;
using Metrics = OldMetrics<188>;
static_assert(sizeof(Metrics) == 1832);
inline constexpr std::uint32_t kHbm = 1;
}  // namespace v24_7

}  // namespace fake
