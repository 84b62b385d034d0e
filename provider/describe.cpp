#include "provider/describe.h"

#include <algorithm>
#include <cmath>

namespace hipr::provider {
namespace {

// The hypervisor writes each extra under its own key and drops what is not a number with a complaint.
template <class T>
void addExtra(DeviceMetrics& out, const char* key, const std::optional<T>& value) {
  if (!value || out.extraMetricsCount == kMaxExtraMetrics) return;
  const double number = static_cast<double>(*value);
  if (!std::isfinite(number)) return;
  ExtraMetric& extra = out.extraMetrics[out.extraMetricsCount++];
  setText(extra.key, key);
  extra.value = number;
}

double finite(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? *value : 0;
}

double percent(double part, double whole) {
  return whole > 0 ? std::clamp(100 * part / whole, 0.0, 100.0) : 0;
}

}  // namespace

void describeProperties(const telemetry::Gpu& gpu, const std::string& source, DeviceProperties& out) {
  out.count = 0;
  const auto add = [&](const char* key, const std::string& value) {
    if (readable(value).empty()) return;
    DeviceProperty& property = out.properties[out.count++];
    setText(property.key, key);
    setText(property.value, value);
  };
  add("gfxTarget", gpu.target);
  add("pciBdf", gpu.bdf);
  add("serial", gpu.serial);
  add("memoryType", gpu.memoryType);
  add("boardName", gpu.boardName);
  add("boardModel", gpu.boardModel);
  add("driverName", gpu.driverName);
  add("telemetrySource", source);
  if (gpu.origin == telemetry::Origin::Software) add("softwareGpu", "true");
}

void describeMetrics(const telemetry::Gpu& gpu, const telemetry::Reading& reading, DeviceMetrics& out) {
  out.powerUsageWatts = finite(reading.powerWatts);
  // Instinct accelerators since the MI300 have no edge sensor.
  out.temperatureCelsius = finite(reading.edgeCelsius ? reading.edgeCelsius : reading.hotspotCelsius);
  out.pcieRxBytes = reading.pcieReceivedBytes.value_or(0);
  out.pcieTxBytes = reading.pcieSentBytes.value_or(0);
  out.utilizationPercent = static_cast<std::uint32_t>(std::lround(std::clamp(finite(reading.busyPercent), 0.0, 100.0)));
  out.memoryUsedBytes = reading.memoryUsedBytes.value_or(0);
  out.extraMetricsCount = 0;
  // Columns the metrics database already has. Compute units run at the engine clock, links between GPUs are links.
  addExtra(out, "graphics_clock_mhz", reading.engineMHz);
  addExtra(out, "sm_clock_mhz", reading.engineMHz);
  addExtra(out, "memory_clock_mhz", reading.memoryMHz);
  addExtra(out, "nvlink_rx", reading.fabricReceivedBytes);
  addExtra(out, "nvlink_tx", reading.fabricSentBytes);
  // More that operators of AMD GPUs look at; new keys become new columns.
  addExtra(out, "hotspot_celsius", reading.hotspotCelsius);
  addExtra(out, "memory_celsius", reading.memoryCelsius);
  addExtra(out, "memory_busy_percentage", reading.memoryBusyPercent);
  addExtra(out, "energy_joules", reading.energyJoules);
  addExtra(out, "power_cap_watts", gpu.powerCapWatts);
  addExtra(out, "ecc_correctable", reading.correctableErrors);
  addExtra(out, "ecc_uncorrectable", reading.uncorrectableErrors);
  addExtra(out, "throttled", reading.throttled);
}

void describeProcess(const telemetry::Gpu& gpu, const std::string& name, const telemetry::Process& process,
                     ProcessInformation& out) {
  const std::uint64_t units = gpu.computeUnits.value_or(0);
  setText(out.processId, std::to_string(process.pid));
  setText(out.deviceUUID, name);
  out.activeSMs = process.computeUnits.value_or(0);
  out.totalSMs = units;
  out.computeUtilizationPercent = process.busyPercent
                                      ? std::clamp(finite(process.busyPercent), 0.0, 100.0)
                                      : percent(static_cast<double>(out.activeSMs), static_cast<double>(units));
  out.memoryUsedBytes = process.memoryBytes;
  out.memoryReservedBytes = 0;
  out.memoryUtilizationPercent =
      percent(static_cast<double>(process.memoryBytes), static_cast<double>(gpu.memoryBytes));
}

}  // namespace hipr::provider
