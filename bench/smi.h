// hip-remote-bench smi: what telemetry costs the worker.
#pragma once

#include "bench/bench.h"

namespace hipr::bench {

void measureSmi(Report& report);

}  // namespace hipr::bench
