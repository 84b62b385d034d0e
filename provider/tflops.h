// How much a GPU can compute, dense FP16, for the scheduler's arithmetic.
#pragma once

#include "types/gpu.h"

namespace hipr::provider {

// 0 when nothing is known. The operator's own table of models, if it has the model, wins over this.
double maxTflops(const telemetry::Gpu& gpu);

}  // namespace hipr::provider
