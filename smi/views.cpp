#include "smi/views.h"

#include "smi/format.h"
#include "smi/table.h"

namespace hipr::smi {
namespace {

using telemetry::Gpu;
using telemetry::Link;
using telemetry::LinkKind;
using telemetry::Process;
using telemetry::Reading;

std::vector<Table::Column> columns(const ViewOptions& options, std::vector<Table::Column> rest) {
  if (options.hosts) rest.insert(rest.begin(), {"HOST", false});
  return rest;
}

std::vector<std::string> row(const HostReport& report, const ViewOptions& options, std::vector<std::string> rest) {
  if (options.hosts) rest.insert(rest.begin(), printable(report.host));
  return rest;
}

void append(Lines& lines, Lines more) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Lines finished(const Table& table, const Reports& reports, const ViewOptions& options) {
  Lines lines = table.lines();
  append(lines, softwareNote(reports, options.gpu));
  return lines;
}

std::string memoryText(const Reading& reading, const Gpu& gpu) {
  return bytesText(reading.memoryUsedBytes) + " / " + bytesText(gpu.memoryBytes);
}

std::string memoryPercent(const Reading& reading, const Gpu& gpu) {
  if (!reading.memoryUsedBytes || gpu.memoryBytes == 0) return kAbsent;
  return numberText(static_cast<double>(*reading.memoryUsedBytes) * 100 / static_cast<double>(gpu.memoryBytes), 1) +
         "%";
}

std::string linkText(const Link& link, bool nvidia) {
  std::string text = link.kind == LinkKind::Fabric ? (nvidia ? "NVLINK" : "XGMI")
                     : link.kind == LinkKind::Pcie ? "PCIE"
                                                   : "?";
  if (link.hops) text += " " + std::to_string(*link.hops);
  if (link.accessible) text += *link.accessible ? " P2P" : " -";
  return text;
}

// A worker that wants something else of us runs and can be reached; a name that nobody knows is another matter, too.
bool explains(const std::string& failure) {
  for (const char* words : {"refused: ", "TLS with ", "HIP_REMOTE_", "cannot resolve "})
    if (failure.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

std::string gpuLabel(const HostReport& report, unsigned gpu) {
  return std::to_string(gpu) + (report.gpus[gpu].origin == telemetry::Origin::Software ? "*" : "");
}

Lines softwareNote(const Reports& reports, const std::optional<unsigned>& only) {
  bool any = false;
  forEachGpu(reports, only, [&](const HostReport& report, unsigned gpu) {
    any |= report.gpus[gpu].origin == telemetry::Origin::Software;
  });
  if (!any) return {};
  return {"* a software GPU: memory and activity are measured; it has no power, temperature or clocks"};
}

std::string failureLine(const HostReport& report) {
  const std::string said = printable(report.status.message());
  const std::string where = (report.port ? report.host + ":" + std::to_string(report.port) : report.host) + ": ";
  std::string line = "smi-remote: " + (said.starts_with(where) ? said : where + said);
  if (report.port && report.status.away() && !explains(said))
    line += " (is hip-worker running there, and may this machine reach the port?)";
  return line;
}

Lines listView(const Reports& reports, const ViewOptions& options) {
  Table table(columns(
      options, {{"GPU", true}, {"NAME"}, {"TARGET"}, {"BDF"}, {"UUID"}, {"MEMORY", true}, {"HIP", true}, {"DRIVER"}}));
  forEachGpu(reports, options.gpu, [&](const HostReport& report, unsigned i) {
    const Gpu& gpu = report.gpus[i];
    table.add(row(report, options,
                  {gpuLabel(report, i), orAbsent(gpu.name), orAbsent(gpu.target), orAbsent(gpu.bdf), orAbsent(gpu.uuid),
                   bytesText(gpu.memoryBytes), valueText(gpu.hipDevice),
                   orAbsent(gpu.driverName + (gpu.driverVersion.empty() ? "" : " " + gpu.driverVersion))}));
  });
  return finished(table, reports, options);
}

// What matters most comes first: a narrow terminal cuts the rest.
Lines metricsView(const Reports& reports, const ViewOptions& options) {
  Table table(columns(options, {{"GPU", true},
                                {"NAME"},
                                {"BUSY", true},
                                {"MEMORY", true},
                                {"MEM%", true},
                                {"POWER", true},
                                {"TEMP", true},
                                {"HOTSPOT", true},
                                {"MEM_T", true},
                                {"CLOCK", true},
                                {"MEM_CLK", true},
                                {"MEM_BUSY", true},
                                {"FAN", true}}));
  forEachGpu(reports, options.gpu, [&](const HostReport& report, unsigned i) {
    const Gpu& gpu = report.gpus[i];
    const Reading& r = report.readings[i];
    table.add(row(report, options,
                  {gpuLabel(report, i), orAbsent(gpu.name), valueText(r.busyPercent, "%", 1), memoryText(r, gpu),
                   memoryPercent(r, gpu), valueText(r.powerWatts, " W"), valueText(r.edgeCelsius, " C"),
                   valueText(r.hotspotCelsius, " C"), valueText(r.memoryCelsius, " C"), valueText(r.engineMHz, " MHz"),
                   valueText(r.memoryMHz, " MHz"), valueText(r.memoryBusyPercent, "%"), valueText(r.fanPercent, "%")}));
  });
  return finished(table, reports, options);
}

Lines powerView(const Reports& reports, const ViewOptions& options) {
  Table table(columns(options, {{"GPU", true},
                                {"NAME"},
                                {"POWER", true},
                                {"CAP", true},
                                {"LOWEST_CAP", true},
                                {"HIGHEST_CAP", true},
                                {"ENERGY", true},
                                {"VOLTAGE", true},
                                {"THROTTLED", true}}));
  forEachGpu(reports, options.gpu, [&](const HostReport& report, unsigned i) {
    const Gpu& gpu = report.gpus[i];
    const Reading& r = report.readings[i];
    table.add(row(
        report, options,
        {gpuLabel(report, i), orAbsent(gpu.name), valueText(r.powerWatts, " W", 1), valueText(gpu.powerCapWatts, " W"),
         valueText(gpu.minPowerCapWatts, " W"), valueText(gpu.maxPowerCapWatts, " W"), valueText(r.energyJoules, " J"),
         valueText(r.voltageMillivolts, " mV"), yesNo(r.throttled)}));
  });
  return finished(table, reports, options);
}

Lines processesView(const Reports& reports, const ViewOptions& options) {
  Table table(columns(options, {{"GPU", true}, {"PID", true}, {"NAME"}, {"CLIENT"}, {"MEMORY", true}, {"BUSY", true}}));
  for (const HostReport& report : reports) {
    if (!report.status.ok()) continue;
    for (const Process& p : report.processes) {
      if (p.gpu >= report.gpus.size() || (options.gpu && *options.gpu != p.gpu)) continue;
      table.add(row(report, options,
                    {gpuLabel(report, p.gpu), std::to_string(p.pid), orAbsent(p.name), orAbsent(p.client),
                     bytesText(p.memoryBytes), valueText(p.busyPercent, "%", 1)}));
    }
  }
  if (table.empty()) return {"no process uses these GPUs"};
  return table.lines();
}

Lines topologyView(const Reports& reports) {
  Lines lines;
  for (const HostReport& report : reports) {
    if (!report.status.ok()) continue;
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(printable(report.host) + " (" + orAbsent(report.hostName) + ")");
    std::vector<Table::Column> titles = {{"FROM \\ TO", false}};
    for (unsigned i = 0; i < report.gpus.size(); ++i) titles.push_back({"GPU " + std::to_string(i), false});
    Table table(titles);
    for (unsigned from = 0; from < report.gpus.size(); ++from) {
      std::vector<std::string> cells = {"GPU " + gpuLabel(report, from)};
      for (unsigned to = 0; to < report.gpus.size(); ++to) {
        std::string cell = from == to ? "self" : kAbsent;
        for (const Link& link : report.links)
          if (link.from == from && link.to == to) cell = linkText(link, report.gpus[from].vendor == "NVIDIA");
        cells.push_back(cell);
      }
      table.add(cells);
    }
    append(lines, table.lines());
  }
  if (!lines.empty()) lines.push_back("The number is hops; P2P: one GPU can use the other's memory.");
  return lines;
}

}  // namespace hipr::smi
