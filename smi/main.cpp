// smi-remote: the GPUs of HIP Remote workers.
#include <cstdio>

#include "base/log.h"
#include "smi/fleet.h"
#include "smi/json.h"
#include "smi/options.h"
#include "smi/outcome.h"
#include "smi/views.h"
#include "smi/watch.h"

namespace hipr::smi {
namespace {

void print(const Lines& lines) {
  for (const std::string& line : lines) std::puts(line.c_str());
}

void show(const Options& options, const Reports& reports) {
  const ViewOptions view{options.gpu, reports.size() > 1};
  switch (options.command) {
    case Command::List:
      return print(listView(reports, view));
    case Command::Metrics:
      return print(metricsView(reports, view));
    case Command::Info:
      return print(infoView(reports, view));
    case Command::Power:
      return print(powerView(reports, view));
    case Command::Processes:
      return print(processesView(reports, view));
    case Command::Topology:
      return print(topologyView(reports));
    case Command::Watch:
      break;
  }
}

int run(int argc, char** argv) {
  setLogName("smi-remote");
  const Options options = parseOptions(argc, argv);
  Fleet fleet(options);
  if (options.command == Command::Watch) return watch(options, fleet);
  const Reports reports = fleet.read();
  printFailures(reports);
  const int code = exitCode(options, reports);
  const bool anything = code == kExitOk || code == kExitSomeFailed;
  if (options.format == Format::Json) {
    std::puts(
        toJson(options.command, reports, options.gpu).dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else if (options.format == Format::Csv) {
    std::fputs(toCsv(toJson(options.command, reports, options.gpu)).c_str(), stdout);
  } else if (anything) {
    show(options, reports);
  }
  return code;
}

}  // namespace
}  // namespace hipr::smi

int main(int argc, char** argv) {
  return hipr::smi::run(argc, argv);
}
