#include "runtime/tracer.h"

#include <algorithm>
#include <iterator>

#include "runtime/api.h"

namespace hipr {

namespace {

using Tracer = int (*)(activity_domain_t, uint32_t, void*);
std::atomic<Tracer> tracer{nullptr};

constexpr activity_domain_t kOperations = 2;
constexpr std::uint32_t kDispatch = 0;

// The kinds of commands, by OpenCL's numbers.
struct CommandName {
  unsigned kind;
  const char* name;
};
constexpr unsigned kKernelCommand = 0x11f0;
constexpr CommandName kCommands[] = {
    {0, "InternalMarker"},
    {kKernelCommand, "KernelExecution"},
    {0x11f1, "Task"},
    {0x11f2, "NativeKernel"},
    {0x11f3, "CopyDeviceToHost"},
    {0x11f4, "CopyHostToDevice"},
    {0x11f5, "CopyDeviceToDevice"},
    {0x11f6, "ReadImage"},
    {0x11f7, "WriteImage"},
    {0x11f8, "CopyImage"},
    {0x11f9, "CopyImageToBuffer"},
    {0x11fa, "CopyBufferToImage"},
    {0x11fb, "MapBuffer"},
    {0x11fc, "MapImage"},
    {0x11fd, "UnmapMemObject"},
    {0x11fe, "Marker"},
    {0x11ff, "AcquireGLObjects"},
    {0x1200, "ReleaseGLObjects"},
    {0x1201, "CopyDeviceToHost2D"},
    {0x1202, "CopyHostToDevice2D"},
    {0x1203, "CopyDeviceToDevice2D"},
    {0x1204, "User"},
    {0x1205, "Barrier"},
    {0x1206, "MigrateMemObjects"},
    {0x1207, "FillBuffer"},
    {0x1208, "FillImage"},
    {0x1209, "SvmFree"},
    {0x120a, "SvmMemcpy"},
    {0x120b, "SvmMemFill"},
    {0x120c, "SvmMap"},
    {0x120d, "SvmUnmap"},
};

// activity_record_t, as tracers know it.
struct ActivityRecord {
  std::uint32_t domain, kind, operation;
  std::uint64_t correlation;
  std::uint64_t begin, end;
  int device;
  std::uint64_t queue;
  const char* kernel;
};

}  // namespace

void traceKernel(const KernelTime& kernel) {
  const Tracer function = tracer.load(std::memory_order_acquire);
  if (function == nullptr || function(kOperations, kDispatch, nullptr) != 0) return;  // it is not interested
  ActivityRecord record{.domain = kOperations,
                        .kind = kKernelCommand,
                        .operation = kDispatch,
                        .correlation = kernel.correlation,
                        .begin = kernel.begin,
                        .end = kernel.end,
                        .device = kernel.device,
                        .queue = kernel.queue,
                        .kernel = kernel.name};
  function(kOperations, kDispatch, &record);
}

namespace api {

void hipRegisterTracerCallback(Tracer function) {
  const Tracer before = tracer.exchange(function, std::memory_order_acq_rel);
  kernelTimesWanted += (function != nullptr) - (before != nullptr);
}

const char* hipGetCmdName(unsigned int id) {
  const auto* found = std::find_if(std::begin(kCommands), std::end(kCommands), [&](auto& c) { return c.kind == id; });
  return found != std::end(kCommands) ? found->name : "Unknown command kind";
}

const char* hipApiName(uint32_t id) {
  static constexpr struct {
    const char* name;
    std::uint32_t id;
  } kNames[] = {
#define HIP_TRACE_ID(name, id) {#name, id},
#include "api/trace_ids.def"
#undef HIP_TRACE_ID
  };
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](auto& entry) { return entry.id == id; });
  return found != std::end(kNames) ? found->name : "unknown";
}

}  // namespace api
}  // namespace hipr
