// What only libamd_smi.so.24 has this way: ROCm 6.1.2, Debian 13's. ROCm 6.2 and 6.3 kept its soname and moved fields
// of Asic and Board; they are not served, because nothing tells us that one of them is asking.
#pragma once

#include "amdsmi/types.h"

namespace hipr::smi::abi24 {

inline constexpr Version kVersion{{24, 5, 2, 0}, nullptr};
inline constexpr std::uint64_t kNoPower = 0xFFFF;
inline constexpr std::uint32_t kNoClock = 0xFFFF;
inline constexpr std::uint32_t kUnknownLink = 0;
inline constexpr std::uint32_t kNoRevision = 0;
// "static" of its amd-smi ends with an error when there is no power cap, or a PCIe link of unknown speed.
inline constexpr bool kCapMayBeZero = true, kPcieNeedsSpeed = true;
template <class Field>
inline constexpr Field kNoId = 0;

struct Asic {
  char name[64];
  std::uint32_t vendorId;
  char vendor[64];
  std::uint32_t subvendorId;
  std::uint64_t deviceId;
  std::uint32_t revision;
  char serial[32];
  std::uint16_t oamId;
  std::uint16_t reserved[37];
};
static_assert(sizeof(Asic) == 256 && offsetof(Asic, deviceId) == 136 && offsetof(Asic, serial) == 148 &&
              offsetof(Asic, oamId) == 180);

struct Board {
  char model[32], serial[32], fru[32], product[128], manufacturer[32];
  std::uint32_t reserved[32];
};
static_assert(sizeof(Board) == 384 && offsetof(Board, product) == 96 && offsetof(Board, manufacturer) == 224);

struct Driver {
  char version[64], date[64], name[64];
};
static_assert(sizeof(Driver) == 192);

struct Vbios {
  char name[64], date[32], part[64], version[32];
  std::uint32_t reserved[16];
};
static_assert(sizeof(Vbios) == 256 && offsetof(Vbios, version) == 160);

struct Vram {
  std::uint32_t type, vendor;  // vendor 0 is nobody's number
  std::uint64_t megabytes;
};
static_assert(sizeof(Vram) == 16);

struct Power {
  std::uint32_t current, average;                          // W
  std::uint32_t engineVoltage, socVoltage, memoryVoltage;  // mV
  std::uint32_t limit;                                     // uW
  std::uint32_t reserved[11];
};
static_assert(sizeof(Power) == 68 && offsetof(Power, limit) == 20);

struct Clock {
  std::uint32_t now, least, most, sleep;  // MHz
  std::uint32_t reserved[4];
};
static_assert(sizeof(Clock) == 32);

struct Process {
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
static_assert(sizeof(Process) == 224 && offsetof(Process, memory) == 40 && offsetof(Process, vram) == 128 &&
              offsetof(Process, container) == 176);

using Metrics = MetricsOf<std::uint32_t, 11>;
static_assert(sizeof(Metrics) == 424 && offsetof(Metrics, socketPower) == 120 &&
              offsetof(Metrics, engineClocks) == 312);

inline void finish(Metrics&) {}
inline void finish(Asic&) {}

}  // namespace hipr::smi::abi24
