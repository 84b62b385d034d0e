// What a node does, made from what the program said: checked by HIP's rules, with kernels and memory looked up.
#pragma once

#include "runtime/graph/graph.h"
#include "runtime/process.h"

namespace hipr {

hipError_t makeKernelWork(Process& p, Device& device, const hipKernelNodeParams* params, KernelWork& out);
hipError_t makeBoxWork(Process& p, const hipMemcpy3DParms* box, CopyWork& out);
hipError_t makeDriverWork(Process& p, const HIP_MEMCPY3D* box, CopyWork& out);
hipError_t makeLineWork(Process& p, void* to, const void* from, std::size_t size, hipMemcpyKind kind, CopyWork& out);
hipError_t makeToSymbolWork(Process& p, Device& device, const void* symbol, const void* from, std::size_t size,
                            std::size_t offset, hipMemcpyKind kind, CopyWork& out);
hipError_t makeFromSymbolWork(Process& p, Device& device, void* to, const void* symbol, std::size_t size,
                              std::size_t offset, hipMemcpyKind kind, CopyWork& out);
hipError_t makeFillWork(Process& p, const hipMemsetParams* params, FillWork& out);
hipError_t makeHostWork(const hipHostNodeParams* params, HostWork& out);
hipError_t makeChildWork(Process& p, const Graph& graph, ChildWork& out);
hipError_t makeRecordWork(Process& p, hipEvent_t event, RecordWork& out);
hipError_t makeWaitWork(Process& p, hipEvent_t event, WaitWork& out);
hipError_t makeWordWork(Process& p, const hipBatchMemOpNodeParams* params, WordWork& out);
WordWork makeWordWork(std::span<const WordStep> steps);

// `params` learns the address.
hipError_t makeAllocWork(Process& p, hipMemAllocNodeParams& params, AllocWork& out);
hipError_t makeFreeWork(Process& p, void* address, FreeWork& out);

// What a captured stream was given.
hipError_t workOf(Process& p, const Operation& operation, NodeWork& out);
hipError_t addBehind(Process& p, Graph& graph, const std::vector<GraphNode*>& after, NodeWork work, GraphNode*& out);

}  // namespace hipr
