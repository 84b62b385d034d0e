// librocm_smi64: what changes while a GPU works. Watts travel as microwatts, degrees as thousandths.
#include "standins/rocm_smi_state.h"

using namespace hipr::standins;
using hipr::telemetry::Gpu;
using hipr::telemetry::Maybe;
using hipr::telemetry::Reading;

namespace {

constexpr double kMicro = 1e6, kMilli = 1e3;

std::uint32_t watts(std::uint32_t device, std::uint64_t* out, Maybe<double> Gpu::* member) {
  return ofGpu(device, out, [&](const Gpu& gpu) -> std::optional<double> {
    return gpu.*member ? std::optional<double>(*(gpu.*member) * kMicro) : std::nullopt;
  });
}

}  // namespace

RSMI_EXPORT rsmi_dev_busy_percent_get(std::uint32_t device, std::uint32_t* out) {
  return ofReading(device, out, 1, [](const Reading& r) { return r.busyPercent; });
}
RSMI_EXPORT rsmi_dev_memory_busy_percent_get(std::uint32_t device, std::uint32_t* out) {
  return ofReading(device, out, 1, [](const Reading& r) { return r.memoryBusyPercent; });
}
RSMI_EXPORT rsmi_dev_current_socket_power_get(std::uint32_t device, std::uint64_t* out) {
  return ofReading(device, out, kMicro, [](const Reading& r) { return r.powerWatts; });
}
RSMI_EXPORT rsmi_dev_power_get(std::uint32_t device, std::uint64_t* out, PowerKind* kind) {
  if (!kind) return kInvalidArgument;
  *kind = PowerKind::kCurrent;
  return rsmi_dev_current_socket_power_get(device, out);
}
RSMI_EXPORT rsmi_dev_power_cap_get(std::uint32_t device, std::uint32_t, std::uint64_t* out) {
  return watts(device, out, &Gpu::powerCapWatts);
}
RSMI_EXPORT rsmi_dev_power_cap_range_get(std::uint32_t device, std::uint32_t, std::uint64_t* most,
                                         std::uint64_t* least) {
  const std::uint32_t status = watts(device, most, &Gpu::maxPowerCapWatts);
  return status != kSuccess ? status : watts(device, least, &Gpu::minPowerCapWatts);
}
RSMI_EXPORT rsmi_dev_fan_rpms_get(std::uint32_t device, std::uint32_t, std::int64_t* out) {
  return ofReading(device, out, 1, [](const Reading& r) { return r.fanRpm; });
}

RSMI_EXPORT rsmi_dev_temp_metric_get(std::uint32_t device, TemperatureSensor sensor, TemperatureMetric metric,
                                     std::int64_t* out) {
  if (metric == TemperatureMetric::kCurrent) {
    return ofReading(device, out, kMilli, [&](const Reading& r) -> Maybe<double> {
      switch (sensor) {
        case TemperatureSensor::kEdge:
          return r.edgeCelsius;
        case TemperatureSensor::kJunction:
          return r.hotspotCelsius;
        case TemperatureSensor::kMemory:
          return r.memoryCelsius;
      }
      return std::nullopt;
    });
  }
  return ofGpu(device, out, [&](const Gpu& gpu) -> std::optional<double> {
    if (sensor != TemperatureSensor::kJunction) return std::nullopt;
    const Maybe<double>& limit = metric == TemperatureMetric::kCritical ? gpu.slowdownCelsius : gpu.shutdownCelsius;
    const bool known = metric == TemperatureMetric::kCritical || metric == TemperatureMetric::kEmergency;
    return known && limit ? std::optional<double>(*limit * kMilli) : std::nullopt;
  });
}

RSMI_EXPORT rsmi_dev_volt_metric_get(std::uint32_t device, std::uint32_t sensor, std::uint32_t metric,
                                     std::int64_t* out) {
  if (sensor != 0 || metric != 0) return kNotSupported;  // the engine's, now
  return ofReading(device, out, 1, [](const Reading& r) { return r.voltageMillivolts; });
}

RSMI_EXPORT rsmi_dev_memory_total_get(std::uint32_t device, MemoryKind kind, std::uint64_t* out) {
  return ofGpu(device, out, [&](const Gpu& gpu) -> std::optional<std::uint64_t> {
    return kind == MemoryKind::kVideo ? std::optional(gpu.memoryBytes) : std::nullopt;
  });
}
RSMI_EXPORT rsmi_dev_memory_usage_get(std::uint32_t device, MemoryKind kind, std::uint64_t* out) {
  if (kind != MemoryKind::kVideo) return kNotSupported;
  return ofReading(device, out, 1, [](const Reading& r) { return r.memoryUsedBytes; });
}
