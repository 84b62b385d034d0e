// What smi-remote shows: lines of text made from what the machines said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "smi/options.h"
#include "smi/report.h"

namespace hipr::smi {

using Lines = std::vector<std::string>;
using Reports = std::vector<HostReport>;

struct ViewOptions {
  std::optional<unsigned> gpu;  // only this one
  bool hosts = false;           // a column with the machine
};

Lines listView(const Reports& reports, const ViewOptions& options);
Lines metricsView(const Reports& reports, const ViewOptions& options);
Lines powerView(const Reports& reports, const ViewOptions& options);
Lines processesView(const Reports& reports, const ViewOptions& options);
Lines topologyView(const Reports& reports);
Lines infoView(const Reports& reports, const ViewOptions& options);

// Calls visit(report, index) for every GPU that is asked for, of every machine that answered.
template <class F>
void forEachGpu(const Reports& reports, const std::optional<unsigned>& only, F&& visit) {
  for (const HostReport& report : reports) {
    if (!report.status.ok()) continue;
    for (unsigned i = 0; i < report.gpus.size(); ++i)
      if (!only || *only == i) visit(report, i);
  }
}

std::string gpuLabel(const HostReport& report, unsigned gpu);  // "0", with a star when it is software
Lines softwareNote(const Reports& reports,
                   const std::optional<unsigned>& only);  // what the star means, where there is one

// One line about a machine that did not answer: which, why, and what to try.
std::string failureLine(const HostReport& report);

}  // namespace hipr::smi
