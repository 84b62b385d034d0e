// Launches of graphs while somebody asks for the times of kernels (activity.h).
#pragma once

#include "runtime/graph/graph.h"
#include "runtime/process.h"

namespace hipr {

// A graph of kernels, copies and fills of one device is given to the stream step by step, its kernels timed like any
// others; any other as a whole, of which a trace has the time.
hipError_t launchTimed(Process& p, Stream& stream, GraphExec& exec);

}  // namespace hipr
