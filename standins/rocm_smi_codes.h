// The numbers of librocm_smi64's interface that we use, by AMD's meaning.
#pragma once

#include <cstdint>

namespace hipr::standins {

enum Rsmi : std::uint32_t {
  kSuccess = 0,
  kInvalidArgument = 1,
  kNotSupported = 2,
  kOutOfBounds = 7,
  kInitError = 8,
  kInsufficientSize = 11,
};

enum class MemoryKind : std::uint32_t { kVideo, kVisibleVideo, kSystem };
enum class TemperatureSensor : std::uint32_t { kEdge, kJunction, kMemory };
enum class TemperatureMetric : std::uint32_t { kCurrent = 0, kCritical = 5, kEmergency = 7 };
enum class PowerKind : std::uint32_t { kAverage, kCurrent };
enum class LinkType : std::uint32_t { kUndefined, kPcie, kXgmi };

struct Version {
  std::uint32_t major, minor, patch;
  const char* build;
};

}  // namespace hipr::standins
