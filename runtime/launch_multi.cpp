// One kernel on several devices at once, with one shape.
#include <algorithm>
#include <vector>

#include "runtime/api.h"
#include "runtime/launch.h"
#include "runtime/registry.h"

namespace hipr::api {

namespace {

struct Part {
  Stream* stream = nullptr;
  Function* function = nullptr;
  LaunchRequest request;
};

// Every part on a stream of its own device. Streams must have been created: the null stream is no device's in
// particular.
hipError_t findStreams(Process& p, std::vector<Part>& parts, const std::vector<hipStream_t>& handles) {
  std::vector<const Device*> devices;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (handles[i] == nullptr || handles[i] == hipStreamLegacy) return hipErrorInvalidHandle;
    if (findStream(p, handles[i], parts[i].stream) != hipSuccess) return hipErrorInvalidHandle;
    const Device* device = parts[i].stream->owner;
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) return hipErrorInvalidDevice;
    devices.push_back(device);
  }
  return hipSuccess;
}

// A barrier over all devices inside the kernel needs memory shared between them that is not built yet.
bool usesGlobalBarrier(const Function& function) {
  return function.kernel->wantsBarrierAcrossDevices();
}

bool equal(const dim3& a, const dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

hipError_t launchAll(Process& p, std::vector<Part>& parts, unsigned flags) {
  constexpr unsigned kKnown = hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;
  if ((flags & ~kKnown) != 0) return hipErrorInvalidValue;
  const LaunchRequest& first = parts.front().request;
  for (const Part& part : parts) {
    if (part.function->module->owner != part.stream->owner) return hipErrorInvalidDevice;
    if (!equal(part.request.groups, first.groups) || !equal(part.request.block, first.block) ||
        part.request.sharedBytes != first.sharedBytes)
      return hipErrorInvalidValue;
  }
  std::vector<Stream*> streams;
  for (const Part& part : parts) {
    if (part.request.cooperative && parts.size() > 1 && usesGlobalBarrier(*part.function)) return hipErrorNotSupported;
    streams.push_back(part.stream);
  }
  if ((flags & hipCooperativeLaunchMultiDeviceNoPreSync) == 0) HIPR_TRY(joinStreams(p, streams));
  for (Part& part : parts) HIPR_TRY(launchKernel(p, *part.stream, *part.function, part.request));
  if ((flags & hipCooperativeLaunchMultiDeviceNoPostSync) == 0) return joinStreams(p, streams);
  return hipSuccess;
}

hipError_t launchList(const hipLaunchParams* list, int count, unsigned flags, bool cooperative) {
  Process* p;
  HIPR_TRY(process(p));
  if (list == nullptr || count <= 0) return hipErrorInvalidValue;
  if (static_cast<std::size_t>(count) > p->devices.size())
    return cooperative ? hipErrorInvalidDevice : hipErrorInvalidValue;
  std::vector<Part> parts(count);
  std::vector<hipStream_t> handles;
  for (int i = 0; i < count; ++i) {
    if (list[i].func != list[0].func) return hipErrorInvalidValue;
    handles.push_back(list[i].stream);
  }
  HIPR_TRY(findStreams(*p, parts, handles));
  for (int i = 0; i < count; ++i) {
    HIPR_TRY(registeredFunction(*p, *parts[i].stream->owner, list[i].func, parts[i].function));
    parts[i].request = {.groups = list[i].gridDim,
                        .block = list[i].blockDim,
                        .sharedBytes = list[i].sharedMem,
                        .params = list[i].args,
                        .cooperative = cooperative};
  }
  return launchAll(*p, parts, flags);
}

}  // namespace

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices,
                                                 unsigned int flags) {
  return launchList(launchParamsList, numDevices, flags, true);
}

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices, unsigned int flags) {
  return launchList(launchParamsList, numDevices, flags, false);
}

hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams* launchParamsList,
                                                       unsigned int numDevices, unsigned int flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (launchParamsList == nullptr || numDevices == 0 || numDevices > p->devices.size()) return hipErrorInvalidValue;
  std::vector<Part> parts(numDevices);
  std::vector<hipStream_t> handles;
  for (unsigned i = 0; i < numDevices; ++i) handles.push_back(launchParamsList[i].hStream);
  HIPR_TRY(findStreams(*p, parts, handles));
  for (unsigned i = 0; i < numDevices; ++i) {
    const hipFunctionLaunchParams& l = launchParamsList[i];
    parts[i].function = p->functions.find(l.function);
    if (parts[i].function == nullptr) return hipErrorInvalidHandle;
    parts[i].request = {.family = LaunchFamily::kModule,
                        .groups = {l.gridDimX, l.gridDimY, l.gridDimZ},
                        .block = {l.blockDimX, l.blockDimY, l.blockDimZ},
                        .sharedBytes = l.sharedMemBytes,
                        .params = l.kernelParams,
                        .cooperative = true};
  }
  return launchAll(*p, parts, flags);
}

}  // namespace hipr::api
