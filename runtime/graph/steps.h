// From the nodes of an instance to the steps a core carries out (graph_exec.h).
#pragma once

#include "runtime/graph/graph.h"
#include "runtime/process.h"

namespace hipr {

// Fills exec.steps from exec.graph. hipErrorInvalidValue when there is a circle.
hipError_t makeSteps(Process& p, GraphExec& exec);

// Makes the step of one node anew and adds its number to `changed` if it does something else now.
hipError_t changeStep(Process& p, GraphExec& exec, GraphNode& node, std::vector<std::uint32_t>& changed);

}  // namespace hipr
