// Memory that graphs allocate and free, and what a device says about it.
#include <algorithm>

#include "runtime/api.h"
#include "runtime/graph/memory.h"
#include "runtime/graph/node_calls.h"
#include "runtime/memory.h"

namespace hipr {

GraphMemory::~GraphMemory() {
  if (address == nullptr) return;  // there was none to be had
  const std::optional<Region> region = process.allocations.take(address, [](const Region&) { return true; });
  count(device, [&](GraphMemoryUse& use) {
    use.reserved -= size;
    if (inUse) use.used -= size;
  });
  if (!region) return;
  if (!inUse) {
    static_cast<void>(releaseMemory(process, *region));
    return;
  }
  Region kept = *region;  // the program's from now on: hipFree ends it like any other
  kept.origin = Region::Origin::kAllocated;
  kept.owner = nullptr;
  process.allocations.insert(kept);
}

void GraphMemory::use(bool now) {
  if (inUse == now) return;
  inUse = now;
  count(device, [&](GraphMemoryUse& use) {
    use.used = now ? use.used + size : use.used - size;
    use.usedHigh = std::max(use.usedHigh, use.used);
  });
}

hipError_t makeAllocWork(Process& p, hipMemAllocNodeParams& params, AllocWork& out) {
  params.dptr = nullptr;
  if (params.bytesize == 0 || params.poolProps.allocType != hipMemAllocationTypePinned ||
      params.poolProps.location.type != hipMemLocationTypeDevice)
    return hipErrorInvalidValue;
  Device* device;
  if (findDevice(p, params.poolProps.location.id, device) != hipSuccess) return hipErrorInvalidValue;
  auto memory = std::make_shared<GraphMemory>(p, *device, params.bytesize);
  HIPR_TRY(allocateMemory(p, *device, MemoryKind::kDevice, params.bytesize, hipDeviceMallocDefault,
                          Region::Origin::kGraph, memory->address, memory.get()));
  count(*device, [&](GraphMemoryUse& use) {
    use.reserved += params.bytesize;
    use.reservedHigh = std::max(use.reservedHigh, use.reserved);
  });
  params.dptr = memory->address;
  out.params = params;
  out.memory = std::move(memory);
  return hipSuccess;
}

hipError_t makeFreeWork(Process& p, void* address, FreeWork& out) {
  const std::optional<Region> region = p.allocations.find(address);
  if (!region || region->origin != Region::Origin::kGraph || region->allocation.devicePointer != address)
    return hipErrorInvalidValue;
  auto* memory = static_cast<GraphMemory*>(const_cast<void*>(region->owner));
  if (memory->freed) return hipErrorInvalidValue;  // one node frees it
  out.address = address;
  out.memory = memory->shared_from_this();
  return hipSuccess;
}

hipError_t freeGraphMemory(Process& p, void* address, bool& taken) {
  const std::optional<Region> region = p.allocations.find(address);
  taken = region && region->origin == Region::Origin::kGraph;
  if (!taken) return hipSuccess;
  auto* memory = static_cast<GraphMemory*>(const_cast<void*>(region->owner));
  if (memory->address != address || !memory->inUse) return hipErrorInvalidValue;
  memory->use(false);
  return hipSuccess;
}

hipError_t captureAllocation(Process& p, Stream& stream, std::size_t size, void*& address) {
  hipMemAllocNodeParams params{};
  params.poolProps.allocType = hipMemAllocationTypePinned;
  params.poolProps.location = {hipMemLocationTypeDevice, stream.owner->ordinal};
  params.bytesize = size;
  return p.captures.addWith(stream, [&](Capture& capture, const std::vector<GraphNode*>& frontier, GraphNode*& node) {
    AllocWork work;
    HIPR_TRY(makeAllocWork(p, params, work));
    address = params.dptr;
    return addBehind(p, *capture.graph, frontier, std::move(work), node);
  });
}

hipError_t captureFree(Process& p, Stream& stream, void* address) {
  return p.captures.addWith(stream, [&](Capture& capture, const std::vector<GraphNode*>& frontier, GraphNode*& node) {
    FreeWork work;
    HIPR_TRY(makeFreeWork(p, address, work));
    return addBehind(p, *capture.graph, frontier, std::move(work), node);
  });
}

namespace api {

namespace {

hipError_t attribute(int ordinal, hipGraphMemAttributeType name, void* value, bool set) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, ordinal, device));
  if (value == nullptr) return hipErrorInvalidValue;
  hipError_t error = hipSuccess;
  auto* number = static_cast<std::uint64_t*>(value);
  count(*device, [&](GraphMemoryUse& use) {
    std::uint64_t* of = nullptr;
    if (name == hipGraphMemAttrUsedMemCurrent && !set) of = &use.used;
    if (name == hipGraphMemAttrReservedMemCurrent && !set) of = &use.reserved;
    if (name == hipGraphMemAttrUsedMemHigh) of = &use.usedHigh;
    if (name == hipGraphMemAttrReservedMemHigh) of = &use.reservedHigh;
    if (of == nullptr || (set && *number != 0)) {  // a high mark may only be taken back
      error = hipErrorInvalidValue;
    } else if (set) {
      *of = name == hipGraphMemAttrUsedMemHigh ? use.used : use.reserved;
    } else {
      *number = *of;
    }
  });
  return error;
}

}  // namespace

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                   size_t numDependencies, hipMemAllocNodeParams* pNodeParams) {
  if (pNodeParams == nullptr) return hipErrorInvalidValue;
  return addNodeOf<AllocWork>(
      pGraphNode, graph, pDependencies, numDependencies,
      [&](Process& p, Graph&, AllocWork& work) { return makeAllocWork(p, *pNodeParams, work); });
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* pNodeParams) {
  return readNode<AllocWork>(node, pNodeParams, [](const AllocWork& work) { return work.params; });
}

hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                  size_t numDependencies, void* dev_ptr) {
  if (dev_ptr == nullptr || (pDependencies == nullptr) != (numDependencies == 0)) return hipErrorInvalidValue;
  return addNodeOf<FreeWork>(pGraphNode, graph, pDependencies, numDependencies,
                             [&](Process& p, Graph&, FreeWork& work) { return makeFreeWork(p, dev_ptr, work); });
}

hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies,
                                     size_t numDependencies, hipDeviceptr_t dptr) {
  return api::hipGraphAddMemFreeNode(phGraphNode, hGraph, dependencies, numDependencies, dptr);
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* dev_ptr) {
  return readNode<FreeWork>(node, static_cast<void**>(dev_ptr), [](FreeWork& work) { return work.address; });
}

hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value) {
  return attribute(device, attr, value, false);
}

hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value) {
  return attribute(device, attr, value, true);
}

// Memory is kept only as long as a graph needs its address, so there is nothing to give back.
hipError_t hipDeviceGraphMemTrim(int device) {
  Process* p;
  Device* d;
  HIPR_TRY(process(p));
  return findDevice(*p, device, d);
}

}  // namespace api
}  // namespace hipr
