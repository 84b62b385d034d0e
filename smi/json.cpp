#include "smi/json.h"

#include <ctime>

#include "platform/clock.h"

namespace hipr::smi {
namespace {

using telemetry::Gpu;
using telemetry::Link;
using telemetry::LinkKind;
using telemetry::Maybe;
using telemetry::Process;
using telemetry::Reading;

template <class T>
Json maybe(const Maybe<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json maybe(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json identity(const Gpu& gpu, unsigned index) {
  return {{"gpu", index},
          {"name", maybe(gpu.name)},
          {"uuid", maybe(gpu.uuid)},
          {"bdf", maybe(gpu.bdf)},
          {"target", maybe(gpu.target)},
          {"origin", gpu.origin == telemetry::Origin::Software ? "software" : "hardware"},
          {"hip_device", maybe(gpu.hipDevice)},
          {"memory_total_bytes", gpu.memoryBytes}};
}

Json details(const Gpu& gpu) {
  return {{"vendor", maybe(gpu.vendor)},
          {"serial", maybe(gpu.serial)},
          {"vendor_id", maybe(gpu.vendorId)},
          {"device_id", maybe(gpu.deviceId)},
          {"subsystem_vendor_id", maybe(gpu.subsystemVendorId)},
          {"subsystem_id", maybe(gpu.subsystemId)},
          {"revision_id", maybe(gpu.revisionId)},
          {"board_name", maybe(gpu.boardName)},
          {"board_model", maybe(gpu.boardModel)},
          {"manufacturer", maybe(gpu.manufacturer)},
          {"driver_name", maybe(gpu.driverName)},
          {"driver_version", maybe(gpu.driverVersion)},
          {"firmware_version", maybe(gpu.firmwareVersion)},
          {"render_node", maybe(gpu.renderNode)},
          {"numa_node", maybe(gpu.numaNode)},
          {"compute_units", maybe(gpu.computeUnits)},
          {"memory_type", maybe(gpu.memoryType)},
          {"memory_bus_bits", maybe(gpu.memoryBusBits)},
          {"max_clock_mhz", maybe(gpu.maxEngineMHz)},
          {"max_memory_clock_mhz", maybe(gpu.maxMemoryMHz)},
          {"max_pcie_generation", maybe(gpu.maxPcieGeneration)},
          {"max_pcie_lanes", maybe(gpu.maxPcieWidth)},
          {"slowdown_celsius", maybe(gpu.slowdownCelsius)},
          {"shutdown_celsius", maybe(gpu.shutdownCelsius)}};
}

Json power(const Gpu& gpu, const Reading& r) {
  return {{"power_watts", maybe(r.powerWatts)},
          {"power_cap_watts", maybe(gpu.powerCapWatts)},
          {"min_power_cap_watts", maybe(gpu.minPowerCapWatts)},
          {"max_power_cap_watts", maybe(gpu.maxPowerCapWatts)},
          {"energy_joules", maybe(r.energyJoules)},
          {"voltage_millivolts", maybe(r.voltageMillivolts)},
          {"throttled", maybe(r.throttled)}};
}

Json metrics(const Reading& r) {
  return {{"power_watts", maybe(r.powerWatts)},
          {"energy_joules", maybe(r.energyJoules)},
          {"temperature_celsius", maybe(r.edgeCelsius)},
          {"hotspot_celsius", maybe(r.hotspotCelsius)},
          {"memory_celsius", maybe(r.memoryCelsius)},
          {"busy_percent", maybe(r.busyPercent)},
          {"memory_busy_percent", maybe(r.memoryBusyPercent)},
          {"media_busy_percent", maybe(r.mediaBusyPercent)},
          {"clock_mhz", maybe(r.engineMHz)},
          {"memory_clock_mhz", maybe(r.memoryMHz)},
          {"soc_clock_mhz", maybe(r.socMHz)},
          {"memory_used_bytes", maybe(r.memoryUsedBytes)},
          {"fan_percent", maybe(r.fanPercent)},
          {"fan_rpm", maybe(r.fanRpm)},
          {"voltage_millivolts", maybe(r.voltageMillivolts)},
          {"pcie_generation", maybe(r.pcieGeneration)},
          {"pcie_lanes", maybe(r.pcieWidth)},
          {"pcie_received_bytes_per_second", maybe(r.pcieReceivedBytes)},
          {"pcie_sent_bytes_per_second", maybe(r.pcieSentBytes)},
          {"fabric_received_bytes_per_second", maybe(r.fabricReceivedBytes)},
          {"fabric_sent_bytes_per_second", maybe(r.fabricSentBytes)},
          {"correctable_errors", maybe(r.correctableErrors)},
          {"uncorrectable_errors", maybe(r.uncorrectableErrors)},
          {"throttled", maybe(r.throttled)}};
}

Json process(const Process& p) {
  return {{"gpu", p.gpu},
          {"pid", p.pid},
          {"name", maybe(p.name)},
          {"client", maybe(p.client)},
          {"memory_bytes", p.memoryBytes},
          {"busy_percent", maybe(p.busyPercent)},
          {"compute_units", maybe(p.computeUnits)}};
}

Json link(const Link& l) {
  const char* kind = l.kind == LinkKind::Fabric ? "fabric" : l.kind == LinkKind::Pcie ? "pcie" : "unknown";
  return {{"from", l.from},
          {"to", l.to},
          {"kind", kind},
          {"hops", maybe(l.hops)},
          {"weight", maybe(l.weight)},
          {"bytes_per_second", maybe(l.bytesPerSecond)},
          {"peer_access", maybe(l.accessible)}};
}

void fill(Json& host, Command command, const HostReport& report, const std::optional<unsigned>& only) {
  const auto wanted = [&](unsigned gpu) { return !only || *only == gpu; };
  if (command == Command::Processes || command == Command::Watch) {
    host["processes"] = Json::array();
    for (const Process& p : report.processes)
      if (wanted(p.gpu)) host["processes"].push_back(process(p));
  }
  if (command == Command::Topology) {
    host["links"] = Json::array();
    for (const Link& l : report.links) host["links"].push_back(link(l));
  }
  if (command == Command::Processes) return;
  host["gpus"] = Json::array();
  for (unsigned i = 0; i < report.gpus.size(); ++i) {
    if (!wanted(i)) continue;
    Json gpu = identity(report.gpus[i], i);
    if (command == Command::Info) gpu.update(details(report.gpus[i]));
    if (command == Command::Info || command == Command::Power) gpu.update(power(report.gpus[i], report.readings[i]));
    if (command == Command::Metrics || command == Command::Watch) gpu["metrics"] = metrics(report.readings[i]);
    host["gpus"].push_back(std::move(gpu));
  }
}

constexpr const char* kNames[] = {"list", "metrics", "info", "power", "processes", "topology", "watch"};

std::string timeText() {
  const std::tm utc = platform::universalTime(std::time(nullptr));
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

Json toJson(Command command, const Reports& reports, const std::optional<unsigned>& gpu) {
  Json document = {{"command", kNames[static_cast<int>(command)]}, {"time", timeText()}, {"hosts", Json::array()}};
  for (const HostReport& report : reports) {
    Json host = {{"host", report.host}, {"port", report.port}, {"ok", report.status.ok()}};
    if (!report.status.ok()) {
      host["error"] = report.status.message();
    } else {
      host["hostname"] = maybe(report.hostName);
      host["worker_version"] = maybe(report.workerVersion);
      host["source"] = maybe(report.source);
      host["library_version"] = maybe(report.libraryVersion);
      fill(host, command, report, gpu);
    }
    document["hosts"].push_back(std::move(host));
  }
  return document;
}

}  // namespace hipr::smi
