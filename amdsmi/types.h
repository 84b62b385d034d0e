// The structures of libamd_smi that we fill and that are the same in every soname. Where releases of one soname differ,
// the oldest one's fields are here and the rest is reserved: a caller does not tell which header it was built with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hipr::smi {

using Handle = void*;

struct Version {
  std::uint32_t words[4];  // the first is the soname's number
  const char* build;
};
static_assert(sizeof(Version) == 24 && offsetof(Version, build) == 16);

struct PowerCap {
  std::uint64_t cap, standard;  // uW
  std::uint64_t dpmMHz;
  std::uint64_t least, most;
  std::uint64_t reserved[3];
};
static_assert(sizeof(PowerCap) == 64 && offsetof(PowerCap, least) == 24);

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

// All of it: two counters grew once, which moved what follows, and the end grew often.
template <class Counter, std::size_t kRest>
struct MetricsOf {
  MetricsHead head;
  Counter engineCounter, memoryCounter;
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
  std::uint64_t rest[kRest];
};

}  // namespace hipr::smi
