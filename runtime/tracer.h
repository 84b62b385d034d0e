// The tracer of a process: a function that tools give HIP (hipRegisterTracerCallback) and that is told of kernels with
// their times. It is not told of HIP's calls: their arguments would travel in a union whose layout changes with each
// release.
#pragma once

#include "runtime/activity.h"

namespace hipr {

void traceKernel(const KernelTime& kernel);

}  // namespace hipr
