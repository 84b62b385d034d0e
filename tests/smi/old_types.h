// Structures of libamd_smi 24.x as the fake library of that age writes them: ROCm 6.1 (24.5) and 6.3 (24.7). Declared
// as C structures, so that the offsets the telemetry source reads by are checked against a second opinion.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amdsmi/types_24.h"
#include "amdsmi/types_7.h"

namespace fake {

namespace v24_5 {  // ROCm 6.1
using namespace hipr::smi::abi24;
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
using hipr::smi::abi24::Driver, hipr::smi::abi24::Vbios, hipr::smi::abi24::Power, hipr::smi::abi24::Process;
using hipr::smi::since7::Clock;
using Metrics = hipr::smi::MetricsOf<std::uint32_t, 187>;
static_assert(sizeof(Metrics) == 1832);
inline constexpr std::uint32_t kHbm = 1;
}  // namespace v24_7

}  // namespace fake
