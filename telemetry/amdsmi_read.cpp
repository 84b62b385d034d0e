// What changes: one reading, the processes, the links.
#include <algorithm>

#include "base/monotonic.h"
#include "telemetry/amdsmi_gpu.h"

namespace hipr::telemetry::amdsmi {
namespace {

constexpr double kEnergyStepJoules = 15.259e-6;
constexpr std::uint32_t kEngine = 0, kSoc = 3, kMemoryClockType = 4;  // of amdsmi_clk_type_t

Maybe<double> real(std::optional<std::uint64_t> value) {
  return value ? Maybe<double>(static_cast<double>(*value)) : std::nullopt;
}
Maybe<double> percent(std::optional<std::uint64_t> value) {
  return value && *value <= 100 ? real(value) : std::nullopt;
}
Maybe<std::uint32_t> count(std::optional<std::uint64_t> value) {
  return value ? Maybe<std::uint32_t>(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

// The first that is there.
template <class T>
Maybe<T> either(Maybe<T> first, Maybe<T> second) {
  return first ? first : second;
}

}  // namespace

Reading Reader::read() {
  Reading r;
  r.takenNs = monotonicNs();
  takeMetrics(r);
  fillTemperatures(r);
  fillPowerAndClocks(r);
  takeFan(r);
  takeMemoryAndLink(r);
  return r;
}

// One call that has nearly everything on data center GPUs.
void Reader::takeMetrics(Reading& r) {
  answer_.clear();
  if (library_.get_gpu_metrics_info(handle_, answer_.data()) != kSuccess) return;
  const Answer& a = answer_;
  const auto& l = library_.layout.metrics;
  r.edgeCelsius = real(a.number(fixed::kEdge));
  r.hotspotCelsius = real(a.number(fixed::kHotspot));
  r.memoryCelsius = real(a.number(fixed::kMemoryTemperature));
  r.busyPercent = percent(a.number(fixed::kBusy));
  r.memoryBusyPercent = percent(a.number(fixed::kMemory));
  r.mediaBusyPercent = percent(a.number(fixed::kMedia));
  r.powerWatts = real(either(a.number(l.socketPower), a.number(fixed::kAveragePower)));
  if (const auto steps = a.number(fixed::kEnergy); steps && *steps != 0)
    r.energyJoules = static_cast<double>(*steps) * kEnergyStepJoules;
  r.engineMHz = count(
      either(either(a.number(l.engineClock), a.number(fixed::kEngineClock)), a.number(fixed::kAverageEngineClock)));
  r.memoryMHz = count(either(a.number(fixed::kMemoryClock), a.number(fixed::kAverageMemoryClock)));
  r.socMHz = count(either(a.number(fixed::kSocClock), a.number(fixed::kAverageSocClock)));
  r.fanRpm = count(a.number(fixed::kFanRpm));
  r.voltageMillivolts = count(a.number(l.voltage));
  if (const auto reasons = either(a.number(l.independentThrottle), a.number(fixed::kThrottle)))
    r.throttled = *reasons != 0;
  takeFabric(a, r);
}

// Counters of kilobytes, one for each of eight links; a rate takes two readings.
void Reader::takeFabric(const Answer& a, Reading& r) {
  const auto& l = library_.layout.metrics;
  std::uint64_t read = 0, written = 0;
  bool any = false;
  for (std::uint16_t link = 0; link < 8 && l.fabricRead != 0; ++link) {
    const auto in = a.number({static_cast<std::uint16_t>(l.fabricRead + 8 * link), 8});
    const auto out = a.number({static_cast<std::uint16_t>(l.fabricWritten + 8 * link), 8});
    any |= in.has_value() && out.has_value();
    read += in.value_or(0);
    written += out.value_or(0);
  }
  if (!any) return;
  if (fabricTimeNs_ != 0 && r.takenNs > fabricTimeNs_ && read >= fabricRead_ && written >= fabricWritten_) {
    const double seconds = static_cast<double>(r.takenNs - fabricTimeNs_) / 1e9;
    r.fabricReceivedBytes = static_cast<std::uint64_t>(static_cast<double>(read - fabricRead_) * 1024 / seconds);
    r.fabricSentBytes = static_cast<std::uint64_t>(static_cast<double>(written - fabricWritten_) * 1024 / seconds);
  }
  fabricTimeNs_ = r.takenNs;
  fabricRead_ = read;
  fabricWritten_ = written;
}

void Reader::fillTemperatures(Reading& r) {
  Maybe<double>* const values[] = {&r.edgeCelsius, &r.hotspotCelsius, &r.memoryCelsius};  // in the library's order
  for (std::uint32_t sensor = 0; sensor < 3; ++sensor) {
    std::int64_t celsius = 0;
    if (!*values[sensor] && library_.get_temp_metric(handle_, sensor, 0, &celsius) == kSuccess && celsius < 500)
      *values[sensor] = static_cast<double>(celsius);
  }
}

// Consumer GPUs have some of these only in calls of their own.
void Reader::fillPowerAndClocks(Reading& r) {
  Answer& a = answer_;
  if (!r.busyPercent || !r.memoryBusyPercent) {
    a.clear();
    if (library_.get_gpu_activity(handle_, a.data()) == kSuccess) {
      r.busyPercent = either(r.busyPercent, percent(a.number(fixed::kEngineBusy)));
      r.memoryBusyPercent = either(r.memoryBusyPercent, percent(a.number(fixed::kMemoryBusy)));
      r.mediaBusyPercent = either(r.mediaBusyPercent, percent(a.number(fixed::kMediaBusy)));
    }
  }
  if (!r.powerWatts || !r.voltageMillivolts) {
    const auto& l = library_.layout.power;
    a.clear();
    if (library_.get_power_info(handle_, a.data()) == kSuccess) {
      r.powerWatts = either(r.powerWatts, real(either(a.number(l.current), a.number(l.average))));
      r.voltageMillivolts = either(r.voltageMillivolts, count(a.number(l.voltage)));
    }
  }
  const auto clock = [&](std::uint32_t type, Maybe<std::uint32_t>& value) {
    if (value) return;
    a.clear();
    if (library_.get_clock_info(handle_, type, a.data()) == kSuccess) value = count(a.number(fixed::kClock));
  };
  clock(kEngine, r.engineMHz);
  clock(kSoc, r.socMHz);
  clock(kMemoryClockType, r.memoryMHz);
  if (!r.energyJoules) {
    std::uint64_t counter = 0, stamp = 0;
    float resolution = 0;
    if (library_.get_energy_count(handle_, &counter, &resolution, &stamp) == kSuccess)
      r.energyJoules = static_cast<double>(counter) * static_cast<double>(resolution) / 1e6;
  }
}

void Reader::takeFan(Reading& r) {
  std::int64_t value = 0;
  if (!r.fanRpm && library_.get_gpu_fan_rpms(handle_, 0, &value) == kSuccess && value >= 0)
    r.fanRpm = static_cast<std::uint32_t>(value);
  std::uint64_t most = 0;
  if (library_.get_gpu_fan_speed(handle_, 0, &value) == kSuccess && value >= 0 &&
      library_.get_gpu_fan_speed_max(handle_, 0, &most) == kSuccess && most != 0)
    r.fanPercent = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(100, (static_cast<std::uint64_t>(value) * 100 + most / 2) / most));
}

void Reader::takeMemoryAndLink(Reading& r) {
  std::uint64_t used = 0;
  if (library_.get_gpu_memory_usage(handle_, 0, &used) == kSuccess) r.memoryUsedBytes = used;
  Answer& a = answer_;
  a.clear();
  if (library_.layout.pcieInfo && library_.get_pcie_info(handle_, a.data()) == kSuccess) {
    r.pcieWidth = count(a.number(fixed::kPcieWidth));
    r.pcieGeneration = pcieGeneration(a.number(fixed::kPcieSpeed));
  }
  a.clear();
  if (library_.get_gpu_total_ecc_count(handle_, a.data()) == kSuccess) {
    r.correctableErrors = a.number(fixed::kCorrectable);
    r.uncorrectableErrors = a.number(fixed::kUncorrectable);
  }
}

std::vector<Process> processesOf(const Library& library, Handle handle, std::uint32_t index) {
  const auto& l = library.layout.process;
  std::vector<Process> list;
  if (l.size == 0) return list;
  std::uint32_t room = 256, found = room;
  Answer a(std::max<std::size_t>(Answer::kSize, std::size_t{room} * l.size));
  Code code = library.get_gpu_process_list(handle, &found, a.data());
  if (code == kOutOfResources && found > room && found < 100'000) {
    room = found + 64;  // more may have come meanwhile
    found = room;
    a = Answer(std::size_t{room} * l.size);
    code = library.get_gpu_process_list(handle, &found, a.data());
  }
  if (code != kSuccess) return list;
  for (std::uint32_t i = 0; i < std::min(found, room); ++i) {
    const std::size_t base = std::size_t{i} * l.size;
    Process process;
    process.gpu = index;
    process.pid = a.raw(l.pid, base);
    if (process.pid == 0) continue;
    process.name = a.text(l.name, base);
    process.memoryBytes = a.raw(l.vram, base) != 0 ? a.raw(l.vram, base) : a.raw(l.memory, base);
    process.computeUnits = count(a.number(l.computeUnits, base));
    list.push_back(std::move(process));
  }
  return list;
}

Link linkBetween(const Library& library, Handle from, Handle to) {
  Link link;
  std::uint64_t hops = 0, weight = 0, least = 0, most = 0;
  std::uint32_t kind = 0;
  if (library.topo_get_link_type(from, to, &hops, &kind) == kSuccess) {
    link.hops = static_cast<std::uint32_t>(hops);
    link.kind = kind == 1 ? LinkKind::Pcie : kind == 2 ? LinkKind::Fabric : LinkKind::Unknown;
  }
  if (library.topo_get_link_weight(from, to, &weight) == kSuccess) link.weight = static_cast<std::uint32_t>(weight);
  bool accessible = false;
  if (library.is_P2P_accessible(from, to, &accessible) == kSuccess) link.accessible = accessible;
  if (library.get_minmax_bandwidth_between_processors(from, to, &least, &most) == kSuccess && most != 0)
    link.bytesPerSecond = most * 1'000'000;  // megabytes per second
  return link;
}

}  // namespace hipr::telemetry::amdsmi
