// Where AMD's libamd_smi puts its answers. Structures grew and moved from release to release, also within one soname,
// so every answer goes into a large zeroed buffer and is read by the offsets of the version that wrote it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipr::telemetry::amdsmi {

struct Version {
  std::uint32_t major = 0, minor = 0, release = 0;
  auto operator<=>(const Version&) const = default;
  std::string text() const;
};

struct Field {
  std::uint16_t at = 0;
  std::uint8_t width = 0;  // 0: this version does not have it
};
struct Text {
  std::uint16_t at = 0, size = 0;
};

// One answer of the library. No version has a structure larger than this among those we ask for.
class Answer {
 public:
  static constexpr std::size_t kSize = 64 * 1024;
  explicit Answer(std::size_t size = kSize) : bytes_(size) {}

  void* data() { return bytes_.data(); }
  void clear() { bytes_.assign(bytes_.size(), std::byte{0}); }

  // The value of a field at `base`. All ones of the field's width mean "not available", and so does 0xFFFF in a wider
  // field: the library widens 16-bit readings without translating their mark.
  std::optional<std::uint64_t> number(Field field, std::size_t base = 0) const;
  std::uint64_t raw(Field field, std::size_t base = 0) const;  // 0 when this version does not have it
  std::string text(Text field, std::size_t base = 0) const;

 private:
  std::vector<std::byte> bytes_;
};

struct Layout {
  struct {
    Text name, serial;
    Field vendorId, deviceId, subvendorId, subsystemId, revision, computeUnits, target;
    bool targetIsHex = true;  // 0x90a is gfx90a; before 6.4 the digits were decimal
  } asic;
  struct {
    Text model, product, manufacturer;
  } board;
  struct {
    Text name, version;
  } driver;
  struct {
    Text version;
  } vbios;
  struct {
    Field type, megabytes, bits;
    bool oldTypes = false;  // numbered as up to 6.1
  } vram;
  struct {
    Field current, average, voltage;
  } power;
  struct {
    std::uint16_t size = 0;  // 0: this version lists processes in another way
    Text name;
    Field pid, memory, vram, computeUnits;
  } process;
  struct {  // what lies behind the first 80 bytes, which never changed
    Field voltage, independentThrottle, socketPower, engineClock;
    std::uint16_t fabricRead = 0, fabricWritten = 0;  // arrays of eight counters
  } metrics;
  bool pcieInfo = true;
};

// What is the same in every version.
namespace fixed {
inline constexpr Field kBdf{0, 8};
inline constexpr Field kClock{0, 4}, kMaxClock{8, 4};
inline constexpr Field kPowerCap{0, 8}, kMinPowerCap{24, 8}, kMaxPowerCap{32, 8};
inline constexpr Field kEngineBusy{0, 4}, kMemoryBusy{4, 4}, kMediaBusy{8, 4};
inline constexpr Field kMaxPcieWidth{0, 2}, kMaxPcieSpeed{4, 4}, kPcieWidth{96, 2}, kPcieSpeed{100, 4};
inline constexpr Field kCorrectable{0, 8}, kUncorrectable{8, 8};
inline constexpr Field kRenderNode{0, 4};
// gpu_metrics
inline constexpr Field kEdge{4, 2}, kHotspot{6, 2}, kMemoryTemperature{8, 2}, kBusy{16, 2}, kMemory{18, 2},
    kMedia{20, 2}, kAveragePower{22, 2}, kEnergy{24, 8}, kAverageEngineClock{40, 2}, kAverageSocClock{42, 2},
    kAverageMemoryClock{44, 2}, kEngineClock{54, 2}, kSocClock{56, 2}, kMemoryClock{58, 2}, kThrottle{68, 4},
    kFanRpm{72, 2};
}  // namespace fixed

// The version that wrote the 24 bytes of amdsmi_version_t: its words mean year, major, minor, release up to 25.x.
Version versionFrom(const Answer& answer);

// An unknown newer version gets the parts that never changed, and nothing else.
Layout layoutOf(const Version& version);

std::string memoryTypeName(std::uint64_t type, bool oldTypes);

}  // namespace hipr::telemetry::amdsmi
