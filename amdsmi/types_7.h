// The structures that ROCm 7 and 10 have in common: libamd_smi.so.26 and .27.
#pragma once

#include "amdsmi/types.h"

namespace hipr::smi::since7 {

inline constexpr std::size_t kText = 256;
inline constexpr std::uint32_t kNoClock = 0xFFFFFFFF;  // their Python packages look for this one
inline constexpr std::uint32_t kUnknownLink = 4;
inline constexpr bool kCapMayBeZero = false, kPcieNeedsSpeed = false;
template <class Field>
inline constexpr Field kNoId = static_cast<Field>(~Field{0});

struct Asic {
  char name[kText];
  std::uint32_t vendorId;
  char vendor[kText];
  std::uint32_t subvendorId;
  std::uint64_t deviceId;
  std::uint32_t revision;
  char serial[kText];
  std::uint32_t oamId, computeUnits;
  std::uint64_t target;
  std::uint32_t subsystemId;
  std::uint32_t reserved[21];
};
static_assert(sizeof(Asic) == 896 && offsetof(Asic, vendorId) == 256 && offsetof(Asic, deviceId) == 520 &&
              offsetof(Asic, serial) == 532 && offsetof(Asic, computeUnits) == 792 && offsetof(Asic, target) == 800 &&
              offsetof(Asic, subsystemId) == 808);

struct Board {
  char model[kText], serial[kText], fru[kText], product[kText], manufacturer[kText];
  std::uint64_t reserved[64];
};
static_assert(sizeof(Board) == 1792 && offsetof(Board, product) == 768 && offsetof(Board, manufacturer) == 1024);

struct Driver {
  char version[kText], date[kText], name[kText];
};
static_assert(sizeof(Driver) == 768);

struct Vbios {
  char name[kText], date[kText], part[kText], version[kText];
  std::uint64_t reserved[68];
};
static_assert(sizeof(Vbios) == 1568 && offsetof(Vbios, version) == 768);

struct Vram {
  std::uint32_t type;
  char vendor[kText];
  std::uint64_t megabytes;
  std::uint32_t bits;
  std::uint64_t bandwidth;
  std::uint64_t reserved[37];
};
static_assert(sizeof(Vram) == 584 && offsetof(Vram, megabytes) == 264 && offsetof(Vram, bits) == 272 &&
              offsetof(Vram, bandwidth) == 280);

struct Power {
  std::uint64_t socket;
  std::uint32_t current, average;                          // W
  std::uint64_t engineVoltage, socVoltage, memoryVoltage;  // mV
  std::uint32_t limit;                                     // uW
  std::uint32_t board;                                     // W; padding to callers that are older than 7.12
  std::uint64_t reserved[18];
};
static_assert(sizeof(Power) == 192 && offsetof(Power, current) == 8 && offsetof(Power, engineVoltage) == 16 &&
              offsetof(Power, limit) == 40 && offsetof(Power, board) == 44);

struct Clock {
  std::uint32_t now, least, most;  // MHz
  std::uint8_t locked, deepSleep;
  std::uint32_t reserved[4];
};
static_assert(sizeof(Clock) == 32 && offsetof(Clock, locked) == 12 && offsetof(Clock, reserved) == 16);

struct Process {
  char name[kText];
  std::uint32_t pid;
  std::uint64_t memory;
  std::uint64_t engineNs, encoderNs;
  std::uint32_t reserved0[12];
  std::uint64_t gtt, cpu, vram;
  std::uint32_t reserved1[10];
  char container[kText];
  std::uint32_t computeUnits;
  std::uint32_t reserved2[11];
};
static_assert(sizeof(Process) == 704 && offsetof(Process, pid) == 256 && offsetof(Process, memory) == 264 &&
              offsetof(Process, vram) == 352 && offsetof(Process, container) == 400 &&
              offsetof(Process, computeUnits) == 656);

}  // namespace hipr::smi::since7
