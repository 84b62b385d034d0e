// The structures of libamd_smi that we fill, as both sonames have them. Where releases of one soname differ, the oldest
// one's fields are here and the rest is reserved: a caller does not tell which header it was built with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hipr::smi {

using Handle = void*;

inline constexpr std::size_t kText = 256;

struct Version {
  std::uint32_t major, minor, release;
  const char* build;
};
static_assert(sizeof(Version) == 24 && offsetof(Version, build) == 16);

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

struct PowerCap {
  std::uint64_t cap, standard;  // uW
  std::uint64_t dpmMHz;
  std::uint64_t least, most;
  std::uint64_t reserved[3];
};
static_assert(sizeof(PowerCap) == 64 && offsetof(PowerCap, least) == 24);

struct Clock {
  std::uint32_t now, least, most;  // MHz
  std::uint8_t locked, deepSleep;
  std::uint32_t reserved[4];
};
static_assert(sizeof(Clock) == 32 && offsetof(Clock, locked) == 12 && offsetof(Clock, reserved) == 16);

struct Frequencies {
  bool deepSleep;
  std::uint32_t count, current;
  std::uint64_t hertz[33];
};
static_assert(sizeof(Frequencies) == 280 && offsetof(Frequencies, count) == 4 && offsetof(Frequencies, hertz) == 16);

struct Pcie {
  std::uint16_t maxWidth;
  std::uint32_t maxSpeed;  // MT/s
  std::uint32_t generation, slot, maxGeneration;
  std::uint64_t reserved0[9];
  std::uint16_t width;
  std::uint32_t speed, bandwidth;  // MT/s, Mb/s
  std::uint64_t replays, recoveries, rollOvers, naksSent, naksReceived;
  std::uint32_t otherEndRecoveries;
  std::uint64_t reserved1[12], reserved2[32];
};
static_assert(sizeof(Pcie) == 512 && offsetof(Pcie, slot) == 12 && offsetof(Pcie, width) == 96 &&
              offsetof(Pcie, speed) == 100 && offsetof(Pcie, replays) == 112 && offsetof(Pcie, reserved2) == 256);

struct Usage {
  std::uint32_t engine, memory, media;  // percent
  std::uint32_t reserved[13];
};
static_assert(sizeof(Usage) == 64);

struct VramUsage {
  std::uint32_t total, used;  // MiB
  std::uint32_t reserved[2];
};
static_assert(sizeof(VramUsage) == 16);

struct Errors {
  std::uint64_t correctable, uncorrectable, deferred;
  std::uint64_t reserved[5];
};
static_assert(sizeof(Errors) == 64);

struct Kfd {
  std::uint64_t id;
  std::uint32_t node, partition;
  std::uint32_t reserved[12];
};
static_assert(sizeof(Kfd) == 64);

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

struct PeerAbilities {
  std::uint8_t coherent, atomics32, atomics64, dma, bothWays;
};
static_assert(sizeof(PeerAbilities) == 5);

struct MetricsHeader {
  std::uint16_t size;
  std::uint8_t format, content;
};
static_assert(sizeof(MetricsHeader) == 4);

// The part of gpu_metrics that never moved.
struct MetricsHead {
  MetricsHeader header;
  std::uint16_t edge, hotspot, memoryTemperature, vrTemperature[3];  // degrees
  std::uint16_t engineBusy, memoryBusy, mediaBusy;                   // percent
  std::uint16_t averagePower;                                        // W
  std::uint64_t energy;                                              // 15.259 uJ
  std::uint64_t clockNs;
  std::uint16_t averageClocks[7], engineClock, socClock, memoryClock, mediaClocks[4];  // MHz
  std::uint32_t throttle;
  std::uint16_t fanRpm, pcieWidth, pcieSpeed;  // speed in 0.1 GT/s
  std::uint16_t padding;
};
static_assert(sizeof(MetricsHead) == 80 && offsetof(MetricsHead, energy) == 24 &&
              offsetof(MetricsHead, engineClock) == 54 && offsetof(MetricsHead, throttle) == 68 &&
              offsetof(MetricsHead, pcieSpeed) == 76);

}  // namespace hipr::smi
