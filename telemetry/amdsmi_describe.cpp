// What does not change: names, numbers, limits.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>

#include "telemetry/amdsmi.h"
#include "telemetry/amdsmi_gpu.h"

namespace hipr::telemetry::amdsmi {
namespace {

template <class T = std::uint32_t>
Maybe<T> narrow(std::optional<std::uint64_t> value) {
  return value ? Maybe<T>(static_cast<T>(*value)) : std::nullopt;
}

// Caps came in watts at first and in microwatts from 6.1.2 on. Between a hundred kilowatts and a tenth of a watt no cap
// has ever been, so the size tells, and a patched build cannot mislead us.
Maybe<double> capWatts(std::optional<std::uint64_t> value) {
  if (!value || *value == 0) return std::nullopt;
  return *value < 100'000 ? static_cast<double>(*value) : static_cast<double>(*value) / 1e6;
}

std::string bdfText(std::uint64_t bdf) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", static_cast<unsigned>(bdf >> 16),
                static_cast<unsigned>(bdf >> 8 & 0xFF), static_cast<unsigned>(bdf >> 3 & 0x1F),
                static_cast<unsigned>(bdf & 7));
  return text;
}

std::string targetText(std::uint64_t version, bool hex) {
  char text[32] = "";
  if (hex && version >= 0x600 && version <= 0xFFFF)
    std::snprintf(text, sizeof text, "gfx%x", static_cast<int>(version));
  if (!hex && version >= 600 && version <= 9999) std::snprintf(text, sizeof text, "gfx%d", static_cast<int>(version));
  return text;
}

// Hexadecimal digits without "0x"; empty for the marks of "unknown": all zeros or all ones.
std::string serialText(std::string text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.erase(0, 2);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text.find_first_not_of("0123456789abcdef") != std::string::npos) return "";
  const bool unknown =
      text.find_first_not_of('0') == std::string::npos || text.find_first_not_of('f') == std::string::npos;
  return unknown ? "" : text;
}

void describeAsic(const Library& library, Handle handle, Gpu& gpu) {
  Answer a;
  if (library.get_gpu_asic_info(handle, a.data()) != kSuccess) return;
  const auto& l = library.layout.asic;
  gpu.name = a.text(l.name);
  gpu.serial = serialText(a.text(l.serial));
  gpu.vendorId = narrow(a.number(l.vendorId));
  gpu.deviceId = narrow(a.number(l.deviceId));
  gpu.subsystemVendorId = narrow(a.number(l.subvendorId));
  gpu.subsystemId = narrow(a.number(l.subsystemId));
  gpu.revisionId = narrow(a.number(l.revision));
  gpu.computeUnits = narrow(a.number(l.computeUnits));
  if (const auto target = a.number(l.target)) gpu.target = targetText(*target, l.targetIsHex);
}

void describeBoard(const Library& library, Handle handle, Gpu& gpu) {
  const Layout& l = library.layout;
  Answer a;
  if (library.get_gpu_board_info(handle, a.data()) == kSuccess) {
    gpu.boardModel = a.text(l.board.model);
    gpu.boardName = a.text(l.board.product);
    gpu.manufacturer = a.text(l.board.manufacturer);
  }
  a.clear();
  if (library.get_gpu_driver_info(handle, a.data()) == kSuccess) {
    gpu.driverName = a.text(l.driver.name);
    gpu.driverVersion = a.text(l.driver.version);
  }
  a.clear();
  if (library.get_gpu_vbios_info(handle, a.data()) == kSuccess) gpu.firmwareVersion = a.text(l.vbios.version);
  std::int32_t node = -1;
  if (library.get_gpu_topo_numa_affinity(handle, &node) == kSuccess && node >= 0) gpu.numaNode = node;
  a.clear();
  if (library.get_gpu_enumeration_info(handle, a.data()) == kSuccess)
    if (const auto minor = a.number(fixed::kRenderNode)) gpu.renderNode = "/dev/dri/renderD" + std::to_string(*minor);
}

void describeMemory(const Library& library, Handle handle, Gpu& gpu) {
  const auto& l = library.layout.vram;
  Answer a;
  if (library.get_gpu_vram_info(handle, a.data()) == kSuccess) {
    gpu.memoryBytes = a.number(l.megabytes).value_or(0) << 20;
    gpu.memoryBusBits = narrow(a.number(l.bits));
    if (const auto type = a.number(l.type)) gpu.memoryType = memoryTypeName(*type, l.oldTypes);
  }
  std::uint64_t total = 0;
  if (library.get_gpu_memory_total(handle, 0, &total) == kSuccess && total != 0) gpu.memoryBytes = total;
}

void describeLimits(const Library& library, Handle handle, Gpu& gpu) {
  Answer a;
  const auto maxClock = [&](std::uint32_t clock) -> Maybe<std::uint32_t> {
    a.clear();
    if (library.get_clock_info(handle, clock, a.data()) != kSuccess) return std::nullopt;
    return narrow(a.number(fixed::kMaxClock));
  };
  gpu.maxEngineMHz = maxClock(0);
  gpu.maxMemoryMHz = maxClock(4);
  a.clear();
  if (library.get_power_cap_info(handle, 0, a.data()) == kSuccess) {
    gpu.powerCapWatts = capWatts(a.number(fixed::kPowerCap));
    gpu.minPowerCapWatts = capWatts(a.number(fixed::kMinPowerCap));
    gpu.maxPowerCapWatts = capWatts(a.number(fixed::kMaxPowerCap));
  }
  // Hotspot limits; a GPU without that sensor has them at the edge.
  const auto limit = [&](std::uint32_t metric) -> Maybe<double> {
    for (const std::uint32_t sensor : {1u, 0u}) {
      std::int64_t celsius = 0;
      if (library.get_temp_metric(handle, sensor, metric, &celsius) == kSuccess && celsius > 0 && celsius < 500)
        return static_cast<double>(celsius);
    }
    return std::nullopt;
  };
  gpu.slowdownCelsius = limit(5);
  gpu.shutdownCelsius = limit(7);
  a.clear();
  if (library.layout.pcieInfo && library.get_pcie_info(handle, a.data()) == kSuccess) {
    gpu.maxPcieWidth = narrow(a.number(fixed::kMaxPcieWidth));
    gpu.maxPcieGeneration = pcieGeneration(a.number(fixed::kMaxPcieSpeed));
  }
}

std::string machineName() {
  std::string id;
  std::getline(std::ifstream("/etc/machine-id"), id);
  return id.empty() ? "gpu" : "gpu-" + id.substr(0, 16);
}

}  // namespace

Maybe<std::uint32_t> pcieGeneration(std::optional<std::uint64_t> megatransfers) {
  static constexpr std::uint64_t kSpeeds[] = {2500, 5000, 8000, 16000, 32000, 64000};
  const auto speed = std::ranges::find(kSpeeds, megatransfers.value_or(0));
  if (speed == std::end(kSpeeds)) return std::nullopt;
  return static_cast<std::uint32_t>(speed - kSpeeds + 1);
}

std::string label(const std::string& libraryUuid, const std::string& serial, const std::string& bdf) {
  std::string text = serial.empty() || libraryUuid.empty() ? machineName() + "-" + bdf : libraryUuid;
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  }
  if (text.size() > 63) text.resize(63);
  while (!text.empty() && text.back() == '-') text.pop_back();
  text.erase(0, text.find_first_not_of('-'));
  return text;
}

Gpu describe(const Library& library, Handle handle) {
  Gpu gpu;
  gpu.vendor = "AMD";
  describeAsic(library, handle, gpu);
  describeBoard(library, handle, gpu);
  describeMemory(library, handle, gpu);
  describeLimits(library, handle, gpu);
  Answer a;
  if (library.get_gpu_device_bdf(handle, a.data()) == kSuccess) gpu.bdf = bdfText(a.raw(fixed::kBdf));
  char uuid[256] = "";
  unsigned length = sizeof uuid - 1;
  if (library.get_gpu_device_uuid(handle, &length, uuid) != kSuccess) uuid[0] = 0;
  gpu.uuid = label(uuid, gpu.serial, gpu.bdf);
  return gpu;
}

}  // namespace hipr::telemetry::amdsmi
