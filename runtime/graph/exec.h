// Instances of graphs: what hipGraphInstantiate makes, changes and launches.
#pragma once

#include "runtime/graph/graph.h"
#include "runtime/process.h"

namespace hipr {

hipError_t findExec(hipGraphExec_t handle, Process*& p, GraphExec*& out);
// The instance, and its copy of a node of the graph it was made of.
hipError_t findInstance(hipGraphExec_t handle, hipGraphNode_t of, Process*& p, GraphExec*& exec, GraphNode*& node);

// The node's work has changed, or whether it is done at all.
hipError_t updateStep(Process& p, GraphExec& exec, GraphNode& node);

void destroyExec(Process& p, GraphExec* exec);

}  // namespace hipr
