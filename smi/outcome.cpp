#include "smi/outcome.h"

#include <algorithm>
#include <cstdio>

namespace hipr::smi {

int exitCode(const Options& options, const Reports& reports) {
  const auto answered = std::count_if(reports.begin(), reports.end(), [](const auto& r) { return r.status.ok(); });
  if (answered == 0) return kExitNoneAnswered;
  if (options.gpu) {
    bool found = false;
    forEachGpu(reports, options.gpu, [&](const HostReport&, unsigned) { found = true; });
    if (!found) {
      std::fprintf(stderr, "smi-remote: there is no GPU %u\n", *options.gpu);
      return kExitNoSuchGpu;
    }
  }
  return answered == static_cast<std::ptrdiff_t>(reports.size()) ? kExitOk : kExitSomeFailed;
}

void printFailures(const Reports& reports) {
  for (const HostReport& report : reports)
    if (!report.status.ok()) std::fprintf(stderr, "%s\n", failureLine(report).c_str());
}

}  // namespace hipr::smi
