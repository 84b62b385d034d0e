// What a GPU does: answered from a reading of all of them.
#include <algorithm>

#include "amdsmi/exports.h"

using namespace hipr::smi;
using hipr::telemetry::Gpu;
using hipr::telemetry::Maybe;
using hipr::telemetry::Reading;

namespace {

constexpr std::uint32_t kMaxFanSpeed = 255;
constexpr float kEnergyStep = 15.3F;  // microjoules; what callers of every version are told

// amdsmi_clk_type_t
struct ClockSource {
  Maybe<std::uint32_t> Reading::* now;
  Maybe<std::uint32_t> Gpu::* most;
};
const ClockSource* clockSource(std::uint32_t type) {
  static constexpr ClockSource kEngine{&Reading::engineMHz, &Gpu::maxEngineMHz};
  static constexpr ClockSource kMemory{&Reading::memoryMHz, &Gpu::maxMemoryMHz};
  static constexpr ClockSource kSoc{&Reading::socMHz, nullptr};
  return type == 0 ? &kEngine : type == 4 ? &kMemory : type == 3 ? &kSoc : nullptr;
}
struct ClockValues {
  Maybe<std::uint32_t> now, most;
};
ClockValues clockValues(std::uint32_t type, const Gpu& gpu, const Reading& reading) {
  const ClockSource* source = clockSource(type);
  if (!source) return {};
  return {reading.*source->now, source->most ? gpu.*source->most : std::nullopt};
}

// MT/s of a PCIe generation.
Maybe<std::uint32_t> pcieSpeed(Maybe<std::uint32_t> generation) {
  static constexpr std::uint32_t kSpeeds[] = {2500, 5000, 8000, 16000, 32000, 64000};
  if (!generation || *generation < 1 || *generation > std::size(kSpeeds)) return std::nullopt;
  return kSpeeds[*generation - 1];
}

Maybe<double> temperature(std::uint32_t sensor, std::uint32_t metric, const Gpu& gpu, const Reading& reading) {
  static constexpr Maybe<double> Reading::* kSensors[] = {&Reading::edgeCelsius, &Reading::hotspotCelsius,
                                                          &Reading::memoryCelsius};
  if (sensor >= std::size(kSensors)) return std::nullopt;
  if (metric == 0) return reading.*kSensors[sensor];
  if (sensor != 1) return std::nullopt;  // the limits we know are those of the hotspot
  return metric == 5 ? gpu.slowdownCelsius : metric == 7 ? gpu.shutdownCelsius : std::nullopt;
}

// Templates, because older structures have fewer fields.
template <class Power>
void fill(Power& out, const Gpu& gpu, const Reading& reading) {
  using Millivolts = decltype(out.engineVoltage);
  constexpr auto kNoWatts = static_cast<std::uint32_t>(caller::kNoPower);
  constexpr auto kNoMillivolts = static_cast<Millivolts>(caller::kNoPower);
  out = {};
  out.current = fit<std::uint32_t>(reading.powerWatts).value_or(kNoWatts);
  out.average = kNoWatts;
  if constexpr (requires { out.socket; }) {
    out.socket = fit<std::uint64_t>(reading.powerWatts).value_or(caller::kNoPower);
    out.board = kNoWatts;
  }
  out.engineVoltage = fit<Millivolts>(reading.voltageMillivolts).value_or(kNoMillivolts);
  out.socVoltage = out.memoryVoltage = kNoMillivolts;
  out.limit = fit<std::uint32_t>(gpu.powerCapWatts, 1e6).value_or(0);
}

template <class Clock>
void fill(Clock& out, const Maybe<std::uint32_t>& now, const Maybe<std::uint32_t>& most) {
  out = {};
  out.now = now.value_or(caller::kNoClock);
  out.least = caller::kNoClock;
  out.most = most.value_or(caller::kNoClock);
  if constexpr (requires { out.sleep; }) {
    out.sleep = caller::kNoClock;
  } else {
    out.locked = out.deepSleep = 0xFF;
  }
}

}  // namespace

SMI_EXPORT amdsmi_get_gpu_activity(Handle handle, Usage* out) {
  return onReading(handle, out, [&](const Gpu&, const Reading& reading) {
    const auto percent = [](Maybe<double> value) { return fit<std::uint32_t>(value).value_or(0xFFFF); };
    *out = {percent(reading.busyPercent), percent(reading.memoryBusyPercent), percent(reading.mediaBusyPercent), {}};
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_busy_percent(Handle handle, std::uint32_t* percent) {
  return onReading(handle, percent, [&](const Gpu&, const Reading& r) { return give(percent, r.busyPercent); });
}

SMI_EXPORT amdsmi_get_vcn_busy_percent(Handle handle, std::uint32_t* percent) {
  return onReading(handle, percent, [&](const Gpu&, const Reading& r) { return give(percent, r.mediaBusyPercent); });
}

SMI_EXPORT amdsmi_get_power_info(Handle handle, caller::Power* out) {
  return onReading(handle, out, [&](const Gpu& gpu, const Reading& reading) -> Code {
    if (!reading.powerWatts && !reading.voltageMillivolts && !gpu.powerCapWatts) return kNotSupported;
    fill(*out, gpu, reading);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_is_gpu_power_management_enabled(Handle handle, bool* enabled) {
  return onReading(handle, enabled, [&](const Gpu& gpu, const Reading& reading) -> Code {
    if (!reading.powerWatts && !gpu.powerCapWatts) return kNotSupported;
    *enabled = true;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_energy_count(Handle handle, std::uint64_t* counter, float* resolution, std::uint64_t* stampNs) {
  return onReading(handle, counter, [&](const Gpu&, const Reading& reading) -> Code {
    const auto steps = fit<std::uint64_t>(reading.energyJoules, 1e6 / static_cast<double>(kEnergyStep));
    if (!steps) return kNotSupported;
    *counter = *steps;
    if (resolution) *resolution = kEnergyStep;
    if (stampNs) *stampNs = reading.takenNs;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_clock_info(Handle handle, std::uint32_t type, caller::Clock* out) {
  return onReading(handle, out, [&](const Gpu& gpu, const Reading& reading) -> Code {
    const auto [now, most] = clockValues(type, gpu, reading);
    if (!now && !most) return kNotSupported;
    fill(*out, now, most);
    return kSuccess;
  });
}

// The steps of a clock are not known, only where it is and where it ends.
SMI_EXPORT amdsmi_get_clk_freq(Handle handle, std::uint32_t type, Frequencies* out) {
  return onReading(handle, out, [&](const Gpu& gpu, const Reading& reading) -> Code {
    const auto [now, most] = clockValues(type, gpu, reading);
    if (!now && !most) return kNotSupported;
    *out = {};
    out->current = 0xFFFFFFFF;
    if (now) {
      out->current = 0;
      out->hertz[out->count++] = std::uint64_t{*now} * 1'000'000;
    }
    if (most && most != now) out->hertz[out->count++] = std::uint64_t{*most} * 1'000'000;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_temp_metric(Handle handle, std::uint32_t sensor, std::uint32_t metric, std::int64_t* celsius) {
  return onReading(handle, celsius, [&](const Gpu& gpu, const Reading& reading) {
    return give(celsius, temperature(sensor, metric, gpu, reading));
  });
}

SMI_EXPORT amdsmi_get_gpu_volt_metric(Handle handle, std::uint32_t sensor, std::uint32_t metric,
                                      std::int64_t* millivolts) {
  return onReading(handle, millivolts, [&](const Gpu&, const Reading& reading) {
    return sensor == 0 && metric == 0 ? give(millivolts, reading.voltageMillivolts) : kNotSupported;
  });
}

SMI_EXPORT amdsmi_get_gpu_memory_usage(Handle handle, std::uint32_t type, std::uint64_t* bytes) {
  return onReading(handle, bytes, [&](const Gpu&, const Reading& reading) {
    return type <= 1 ? give(bytes, reading.memoryUsedBytes) : kNotSupported;
  });
}

SMI_EXPORT amdsmi_get_gpu_vram_usage(Handle handle, VramUsage* out) {
  return onReading(handle, out, [&](const Gpu& gpu, const Reading& reading) -> Code {
    if (!reading.memoryUsedBytes) return kNotSupported;
    *out = {static_cast<std::uint32_t>(gpu.memoryBytes >> 20),
            static_cast<std::uint32_t>(*reading.memoryUsedBytes >> 20),
            {}};
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_fan_rpms(Handle handle, std::uint32_t sensor, std::int64_t* rpm) {
  return onReading(handle, rpm, [&](const Gpu&, const Reading& reading) {
    return sensor == 0 ? give(rpm, reading.fanRpm) : kNotSupported;
  });
}

SMI_EXPORT amdsmi_get_gpu_fan_speed(Handle handle, std::uint32_t sensor, std::int64_t* speed) {
  return onReading(handle, speed, [&](const Gpu&, const Reading& reading) -> Code {
    if (sensor != 0 || !reading.fanPercent || *reading.fanPercent > 100) return kNotSupported;
    *speed = (*reading.fanPercent * kMaxFanSpeed + 50) / 100;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_fan_speed_max(Handle handle, std::uint32_t sensor, std::uint64_t* most) {
  return onReading(handle, most, [&](const Gpu&, const Reading& reading) -> Code {
    if (sensor != 0 || !reading.fanPercent) return kNotSupported;
    *most = kMaxFanSpeed;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_pcie_info(Handle handle, Pcie* out) {
  return onReading(handle, out, [&](const Gpu& gpu, const Reading& reading) -> Code {
    const bool some = gpu.maxPcieWidth || gpu.maxPcieGeneration || reading.pcieWidth;
    if (caller::kPcieNeedsSpeed ? !gpu.maxPcieGeneration : !some) return kNotSupported;
    std::memset(out, 0xFF, offsetof(Pcie, reserved1));
    set(out->maxWidth, gpu.maxPcieWidth);
    set(out->maxSpeed, pcieSpeed(gpu.maxPcieGeneration));
    set(out->generation, gpu.maxPcieGeneration);
    set(out->maxGeneration, gpu.maxPcieGeneration);
    out->slot = 3;  // of unknown form
    set(out->width, reading.pcieWidth);
    set(out->speed, pcieSpeed(reading.pcieGeneration));
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_pci_throughput(Handle handle, std::uint64_t* sent, std::uint64_t* received,
                                         std::uint64_t* packetSize) {
  return onReading(handle, sent, [&](const Gpu&, const Reading& reading) -> Code {
    if (!reading.pcieSentBytes || !reading.pcieReceivedBytes) return kNotSupported;
    *sent = *reading.pcieSentBytes;
    if (received) *received = *reading.pcieReceivedBytes;
    if (packetSize) *packetSize = 1;  // callers multiply by it
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_total_ecc_count(Handle handle, Errors* out) {
  return onReading(handle, out, [&](const Gpu&, const Reading& reading) -> Code {
    if (!reading.correctableErrors && !reading.uncorrectableErrors) return kNotSupported;
    *out = {};
    out->correctable = reading.correctableErrors.value_or(0);
    out->uncorrectable = reading.uncorrectableErrors.value_or(0);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_metrics_info(Handle handle, caller::Metrics* out) {
  return onReading(handle, out, [&](const Gpu&, const Reading& reading) {
    std::memset(static_cast<void*>(out), 0xFF, sizeof *out);
    MetricsHead& head = out->head;
    head.header = {sizeof *out, 1, 3};
    set(head.edge, reading.edgeCelsius);
    set(head.hotspot, reading.hotspotCelsius);
    set(head.memoryTemperature, reading.memoryCelsius);
    set(head.engineBusy, reading.busyPercent);
    set(head.memoryBusy, reading.memoryBusyPercent);
    set(head.mediaBusy, reading.mediaBusyPercent);
    head.energy = fit<std::uint64_t>(reading.energyJoules, 1 / 15.259e-6).value_or(~std::uint64_t{0});
    head.clockNs = reading.takenNs;
    set(head.engineClock, reading.engineMHz);
    set(head.socClock, reading.socMHz);
    set(head.memoryClock, reading.memoryMHz);
    set(head.throttle, reading.throttled);
    set(head.fanRpm, reading.fanRpm);
    set(head.pcieWidth, reading.pcieWidth);
    if (const auto speed = pcieSpeed(reading.pcieGeneration)) head.pcieSpeed = static_cast<std::uint16_t>(*speed / 100);
    set(out->engineVoltage, reading.voltageMillivolts);
    set(out->socketPower, reading.powerWatts);
    set(out->engineClocks[0], reading.engineMHz);
    set(out->socClocks[0], reading.socMHz);
    caller::finish(*out);
    return kSuccess;
  });
}
