#include "runtime/graph/works.h"

#include "code_object/kernarg.h"
#include "runtime/launch.h"
#include "runtime/memcpy.h"
#include "runtime/memset.h"
#include "runtime/registry.h"
#include "runtime/symbol.h"

namespace hipr {

namespace {

bool nothing(std::size_t width, std::size_t height, std::size_t depth) {
  return width == 0 || height == 0 || depth == 0;
}

hipPitchedPtr pitched(const void* address, std::size_t pitch, std::size_t height) {
  return {const_cast<void*>(address), pitch, pitch, height};
}

hipMemcpy3DParms boxOf(const CopyRequest& r) {
  const auto rows = [&](const CopySide& side) {
    return r.depth > 1 && side.pitch ? side.slice / side.pitch : r.height;
  };
  hipMemcpy3DParms box{};
  box.extent = {r.width, r.height, r.depth};
  const Array* counted = nullptr;  // its texels
  const auto describe = [&](const CopySide& side, hipPitchedPtr& memory, hipArray_t& array, hipPos& position) {
    if (side.array == nullptr) {
      memory = pitched(side.address, side.pitch, rows(side));
      return;
    }
    array = reinterpret_cast<hipArray_t>(side.array);
    position = {side.x / side.array->texelBytes, side.y, side.z};
    counted = side.array;
  };
  describe(r.to, box.dstPtr, box.dstArray, box.dstPos);
  describe(r.from, box.srcPtr, box.srcArray, box.srcPos);
  if (counted != nullptr) box.extent.width /= counted->texelBytes;
  box.kind = r.kind;
  return box;
}

CopyRequest requestOf(const Copy& c) {
  const auto side = [](const Plane& plane) -> CopySide {
    return {plane.address, plane.pitch, plane.slice, nullptr, plane.array, plane.x, plane.y, plane.z};
  };
  return {.to = side(c.to), .from = side(c.from), .width = c.width, .height = c.height, .depth = c.depth};
}

hipMemcpyKind kindOf(const Copy& c) {
  const bool toDevice = c.to.kind != MemoryKind::kPageable, fromDevice = c.from.kind != MemoryKind::kPageable;
  if (toDevice) return fromDevice ? hipMemcpyDeviceToDevice : hipMemcpyHostToDevice;
  return fromDevice ? hipMemcpyDeviceToHost : hipMemcpyHostToHost;
}

// A direction that says something else than the memory. Memory the runtime does not know is the host's.
bool contradicts(hipMemcpyKind kind, const Copy& c) {
  const hipMemcpyKind real = kindOf(c);
  if (kind == hipMemcpyDefault || real == hipMemcpyDeviceToDevice || real == hipMemcpyHostToHost) return false;
  return kind != real;
}

// Where each argument lies among the packed ones.
void pointAtParams(KernelWork& work) {
  work.params.clear();
  for (const std::size_t offset : work.launch.function->kernel->argumentOffsets())
    work.params.push_back(work.arguments.data() + offset);
}

hipError_t findKernel(Process& p, Device& device, const void* name, Function*& out) {
  out = p.functions.find(name);
  return out != nullptr ? hipSuccess : registeredFunction(p, device, name, out);
}

// A copy of one line, in whichever form the program described it.
hipError_t makeLinear(const Process& p, const CopyRequest& request, CopyWork::Form form, CopyWork& out) {
  HIPR_TRY(makeCopy(p, request, out.copy));
  if (contradicts(request.kind, out.copy)) return hipErrorInvalidValue;
  out.form = form;
  out.kind = request.kind;
  out.box = boxOf(request);
  return hipSuccess;
}

template <class Work>
hipError_t makeEventWork(Process& p, hipEvent_t event, Work& out) {
  if (p.events.find(event) == nullptr) return hipErrorInvalidValue;
  out.event = event;
  return hipSuccess;
}

}  // namespace

hipError_t makeKernelWork(Process& p, Device& device, const hipKernelNodeParams* params, KernelWork& out) {
  if (params == nullptr || params->func == nullptr) return hipErrorInvalidValue;
  Function* function;
  HIPR_TRY(findKernel(p, device, params->func, function));
  const auto cooperative = out.attributes.find(hipLaunchAttributeCooperative);
  const LaunchRequest request{
      .family = LaunchFamily::kModule,
      .groups = params->gridDim,
      .block = params->blockDim,
      .sharedBytes = params->sharedMemBytes,
      .params = params->kernelParams,
      .extra = params->extra,
      .cooperative = cooperative != out.attributes.end() && cooperative->second.cooperative != 0};
  std::vector<std::byte> arguments(function->argumentBytes);
  Launch launch;
  HIPR_TRY(makeLaunch(*function, request, arguments, launch));
  launch.arguments = {};
  out.name = params->func;
  out.launch = launch;
  out.arguments = std::move(arguments);  // only now: the program may have passed what GetParams gave it
  pointAtParams(out);
  return hipSuccess;
}

hipError_t makeBoxWork(Process& p, const hipMemcpy3DParms* box, CopyWork& out) {
  if (box == nullptr) return hipErrorInvalidValue;
  CopyRequest request;
  HIPR_TRY(boxRequest(*box, request));
  if (nothing(request.width, request.height, request.depth)) return hipErrorInvalidValue;
  HIPR_TRY(makeCopy(p, request, out.copy));
  out.form = CopyWork::Form::kBox;
  out.kind = box->kind;
  out.box = *box;
  return hipSuccess;
}

hipError_t makeDriverWork(Process& p, const HIP_MEMCPY3D* box, CopyWork& out) {
  if (box == nullptr) return hipErrorInvalidValue;
  CopyRequest request;
  if (nothing(box->WidthInBytes, box->Height, box->Depth)) return hipErrorInvalidValue;
  HIPR_TRY(driverRequest(*box, request));
  HIPR_TRY(makeCopy(p, request, out.copy));
  out.form = CopyWork::Form::kDriver;
  out.kind = kindOf(out.copy);
  out.box = boxOf(request);
  out.driver = *box;
  return hipSuccess;
}

hipError_t makeLineWork(Process& p, void* to, const void* from, std::size_t size, hipMemcpyKind kind, CopyWork& out) {
  if (size == 0) return hipErrorInvalidValue;
  return makeLinear(p, linear(to, from, size, kind), CopyWork::Form::kLine, out);
}

hipError_t makeToSymbolWork(Process& p, Device& device, const void* symbol, const void* from, std::size_t size,
                            std::size_t offset, hipMemcpyKind kind, CopyWork& out) {
  if (from == nullptr || size == 0 || symbol == from) return hipErrorInvalidValue;
  void* to;
  HIPR_TRY(symbolPart(p, device, symbol, offset, size, to));
  return makeLinear(p, linear(to, from, size, kind), CopyWork::Form::kToSymbol, out);
}

hipError_t makeFromSymbolWork(Process& p, Device& device, void* to, const void* symbol, std::size_t size,
                              std::size_t offset, hipMemcpyKind kind, CopyWork& out) {
  if (to == nullptr || size == 0 || symbol == to) return hipErrorInvalidValue;
  void* from;
  HIPR_TRY(symbolPart(p, device, symbol, offset, size, from));
  return makeLinear(p, linear(to, from, size, kind), CopyWork::Form::kFromSymbol, out);
}

hipError_t makeFillWork(Process& p, const hipMemsetParams* params, FillWork& out) {
  if (params == nullptr || params->width == 0 || params->height == 0) return hipErrorInvalidValue;
  if (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4) return hipErrorInvalidValue;
  const std::size_t row = params->width * params->elementSize;
  if (params->height > 1 && params->pitch < row) return hipErrorInvalidValue;
  const FillRequest request{.address = params->dst,
                            .value = params->value,
                            .elementSize = params->elementSize,
                            .pitch = params->height > 1 ? params->pitch : row,
                            .width = params->width,
                            .height = params->height};
  HIPR_TRY(makeFill(p, request, out.fill));
  out.params = *params;
  return hipSuccess;
}

hipError_t makeHostWork(const hipHostNodeParams* params, HostWork& out) {
  if (params == nullptr || params->fn == nullptr) return hipErrorInvalidValue;
  out.params = *params;
  return hipSuccess;
}

hipError_t makeChildWork(Process& p, const Graph& graph, ChildWork& out) {
  return copyGraph(p, graph, out.graph);
}

hipError_t makeRecordWork(Process& p, hipEvent_t event, RecordWork& out) {
  return makeEventWork(p, event, out);
}

hipError_t makeWaitWork(Process& p, hipEvent_t event, WaitWork& out) {
  return makeEventWork(p, event, out);
}

namespace {

// An operation of a stream as the work of a node.
struct Translate {
  Process& p;
  NodeWork& out;

  hipError_t operator()(const Copy& copy) {
    CopyWork work;
    work.copy = copy;
    work.kind = kindOf(copy);
    work.box = boxOf(requestOf(copy));
    work.box.kind = work.kind;
    work.form = copy.height * copy.depth == 1 ? CopyWork::Form::kLine : CopyWork::Form::kBox;
    out = work;
    return hipSuccess;
  }
  hipError_t operator()(const Fill& fill) {
    FillWork work;
    work.fill = fill;
    work.params = {.dst = fill.address,
                   .elementSize = fill.elementSize,
                   .height = fill.height,
                   .pitch = fill.pitch,
                   .value = fill.value,
                   .width = fill.width};
    out = work;
    return hipSuccess;
  }
  hipError_t operator()(const Launch& launch) {
    KernelWork work;
    const void* host = launch.function->host;
    work.name = host != nullptr ? const_cast<void*>(host) : launch.function;
    work.launch = launch;
    work.launch.arguments = {};
    work.launch.stop = nullptr;
    work.stop = reinterpret_cast<hipEvent_t>(launch.stop);
    work.arguments.assign(launch.arguments.begin(), launch.arguments.end());
    if (launch.cooperative) work.attributes[hipLaunchAttributeCooperative].cooperative = 1;
    pointAtParams(work);
    out = std::move(work);
    return hipSuccess;
  }
  hipError_t operator()(const Record& record) {
    out = RecordWork{reinterpret_cast<hipEvent_t>(record.event)};
    return hipSuccess;
  }
  hipError_t operator()(const Wait& wait) {
    out = WaitWork{reinterpret_cast<hipEvent_t>(wait.event)};
    return hipSuccess;
  }
  hipError_t operator()(const HostFunction& function) {
    out = HostWork{{function.function, function.userData}};
    return hipSuccess;
  }
  hipError_t operator()(const GraphLaunch& launch) {
    ChildWork work;
    HIPR_TRY(makeChildWork(p, *launch.exec->graph, work));
    out = work;
    return hipSuccess;
  }
  hipError_t operator()(const WordSteps& words) {
    out = makeWordWork(words.list);
    return hipSuccess;
  }
};

}  // namespace

hipError_t workOf(Process& p, const Operation& operation, NodeWork& out) {
  return std::visit(Translate{p, out}, operation);
}

hipError_t addBehind(Process& p, Graph& graph, const std::vector<GraphNode*>& after, NodeWork work, GraphNode*& out) {
  std::vector<hipGraphNode_t> handles;
  for (GraphNode* node : after) handles.push_back(handleOf(node));
  return addNode(p, graph, handles.data(), handles.size(), std::move(work), out);
}

}  // namespace hipr
