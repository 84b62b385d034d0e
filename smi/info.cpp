// Everything about a GPU that does not change, one line each.
#include "smi/format.h"
#include "smi/views.h"

namespace hipr::smi {
namespace {

using telemetry::Gpu;

void describe(const HostReport& report, unsigned index, Lines& lines) {
  const Gpu& gpu = report.gpus[index];
  const auto line = [&](const char* what, const std::string& value) {
    std::string text = "  " + std::string(what);
    text.resize(22, ' ');
    lines.push_back(text + value);
  };
  lines.push_back("GPU " + std::to_string(index) + " of " + printable(report.host) + " (" + orAbsent(report.hostName) +
                  ")");
  line("name", orAbsent(gpu.name));
  line("kind", gpu.origin == telemetry::Origin::Software ? "software: runs on the CPU" : "hardware");
  line("vendor", orAbsent(gpu.vendor));
  line("target", orAbsent(gpu.target));
  line("uuid", orAbsent(gpu.uuid));
  line("serial", orAbsent(gpu.serial));
  line("hip device", valueText(gpu.hipDevice));
  line("bdf", orAbsent(gpu.bdf));
  line("vendor id", hexText(gpu.vendorId));
  line("device id", hexText(gpu.deviceId));
  line("subsystem", hexText(gpu.subsystemVendorId) + " " + hexText(gpu.subsystemId));
  line("revision", hexText(gpu.revisionId));
  line("board", orAbsent(gpu.boardName));
  line("board model", orAbsent(gpu.boardModel));
  line("manufacturer", orAbsent(gpu.manufacturer));
  line("driver", orAbsent(gpu.driverName + (gpu.driverVersion.empty() ? "" : " " + gpu.driverVersion)));
  line("firmware", orAbsent(gpu.firmwareVersion));
  line("telemetry", orAbsent(report.source) + " " + printable(report.libraryVersion));
  line("worker", orAbsent(report.workerVersion));
  line("render node", orAbsent(gpu.renderNode));
  line("numa node", valueText(gpu.numaNode));
  line("compute units", valueText(gpu.computeUnits));
  line("memory",
       bytesText(gpu.memoryBytes) + ", " + orAbsent(gpu.memoryType) + ", " + valueText(gpu.memoryBusBits, " bits"));
  line("highest clock", valueText(gpu.maxEngineMHz, " MHz"));
  line("highest mem clock", valueText(gpu.maxMemoryMHz, " MHz"));
  line("pcie, at best",
       "generation " + valueText(gpu.maxPcieGeneration) + ", " + valueText(gpu.maxPcieWidth, " lanes"));
  line("power cap", valueText(gpu.powerCapWatts, " W") + " (" + valueText(gpu.minPowerCapWatts, " W") + " to " +
                        valueText(gpu.maxPowerCapWatts, " W") + ")");
  line("slows down at", valueText(gpu.slowdownCelsius, " C"));
  line("shuts down at", valueText(gpu.shutdownCelsius, " C"));
}

}  // namespace

Lines infoView(const Reports& reports, const ViewOptions& options) {
  Lines lines;
  forEachGpu(reports, options.gpu, [&](const HostReport& report, unsigned gpu) {
    if (!lines.empty()) lines.emplace_back();
    describe(report, gpu, lines);
  });
  return lines;
}

}  // namespace hipr::smi
