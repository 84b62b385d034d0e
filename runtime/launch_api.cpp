// The entry points that launch one kernel.
#include "runtime/api.h"
#include "runtime/launch.h"

namespace hipr::api {

namespace {

// hipExtModuleLaunchKernel counts work-items. The last group of a dimension may be partial, if the kernel was not
// compiled for groups that are all of the same size, as compilers do unless they are told otherwise
// (-fno-offload-uniform-block).
hipError_t launchThreads(hipFunction_t f, const dim3& threads, const dim3& block, std::size_t shared,
                         hipStream_t stream, void** params, void** extra, hipEvent_t start, hipEvent_t stop) {
  const auto groups = [](unsigned all, unsigned each) {
    return each == 0 ? all : static_cast<unsigned>((std::uint64_t{all} + each - 1) / each);
  };
  return launchHandle(f, stream,
                      {.family = LaunchFamily::kThreads,
                       .groups = {groups(threads.x, block.x), groups(threads.y, block.y), groups(threads.z, block.z)},
                       .block = block,
                       .threads = threads,
                       .sharedBytes = shared,
                       .params = params,
                       .extra = extra,
                       .start = start,
                       .stop = stop});
}

// What launch attributes ask for. hipErrorNotSupported for those that would change what the kernel computes; AMD's
// runtime calls one that it does not know a wrong configuration.
hipError_t readAttributes(const hipLaunchAttribute* attrs, unsigned count, LaunchRequest& request) {
  if (count != 0 && attrs == nullptr) return hipErrorInvalidConfiguration;
  for (unsigned i = 0; i < count; ++i) switch (attrs[i].id) {
      case hipLaunchAttributeCooperative:
        request.cooperative = attrs[i].value.cooperative != 0;
        break;
      case hipLaunchAttributeIgnore:
      case hipLaunchAttributeAccessPolicyWindow:
      case hipLaunchAttributeSynchronizationPolicy:
      case hipLaunchAttributePriority:
      case hipLaunchAttributeMemSyncDomainMap:
      case hipLaunchAttributeMemSyncDomain:
      case hipLaunchAttributeExtDynDataPrefetch:
        break;  // about speed only
      case hipLaunchAttributeClusterDimension:
      case hipLaunchAttributeClusterSchedulingPolicyPreference:
        return hipErrorNotSupported;
      default:
        return hipErrorInvalidConfiguration;
    }
  return hipSuccess;
}

}  // namespace

hipError_t hipLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                           size_t sharedMemBytes, hipStream_t stream) {
  return launchHost(function_address, stream,
                    {.groups = numBlocks, .block = dimBlocks, .sharedBytes = sharedMemBytes, .params = args});
}

// What hipLaunchKernelGGL was before hipLaunchKernel: the arguments are packed already.
hipError_t hipLaunchKernelGGLImpl(uintptr_t function_address, const dim3* numBlocks, const dim3* dimBlocks,
                                  uint32_t sharedMemBytes, hipStream_t stream, void** kernarg) {
  return launchHost(reinterpret_cast<const void*>(function_address), stream,
                    {.groups = *numBlocks, .block = *dimBlocks, .sharedBytes = sharedMemBytes, .extra = kernarg});
}

hipError_t hipExtLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                              size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent, hipEvent_t stopEvent,
                              int) {
  return launchHost(function_address, stream,
                    {.groups = numBlocks,
                     .block = dimBlocks,
                     .sharedBytes = sharedMemBytes,
                     .params = args,
                     .start = startEvent,
                     .stop = stopEvent});
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* fPtr, void** args) {
  if (fPtr == nullptr) return hipErrorInvalidDeviceFunction;
  if (config == nullptr) return hipErrorInvalidConfiguration;
  LaunchRequest request{
      .groups = config->gridDim, .block = config->blockDim, .sharedBytes = config->dynamicSmemBytes, .params = args};
  HIPR_TRY(readAttributes(config->attrs, config->numAttrs, request));
  return launchHost(fPtr, config->stream, request);
}

hipError_t hipLaunchCooperativeKernel(const void* f, dim3 gridDim, dim3 blockDimX, void** kernelParams,
                                      unsigned int sharedMemBytes, hipStream_t stream) {
  return launchHost(f, stream,
                    {.groups = gridDim,
                     .block = blockDimX,
                     .sharedBytes = sharedMemBytes,
                     .params = kernelParams,
                     .cooperative = true});
}

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                 unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                 unsigned int sharedMemBytes, hipStream_t stream, void** kernelParams, void** extra) {
  return launchHandle(f, stream,
                      {.family = LaunchFamily::kModule,
                       .groups = {gridDimX, gridDimY, gridDimZ},
                       .block = {blockDimX, blockDimY, blockDimZ},
                       .sharedBytes = sharedMemBytes,
                       .params = kernelParams,
                       .extra = extra});
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                            unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                            unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream,
                                            void** kernelParams) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (findStream(*p, stream, s) != hipSuccess) return hipErrorInvalidValue;  // unlike all other launches
  return launchHandle(f, stream,
                      {.family = LaunchFamily::kModule,
                       .groups = {gridDimX, gridDimY, gridDimZ},
                       .block = {blockDimX, blockDimY, blockDimZ},
                       .sharedBytes = sharedMemBytes,
                       .params = kernelParams,
                       .cooperative = true});
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t hStream,
                                    void** kernelParams, void** extra, hipEvent_t startEvent, hipEvent_t stopEvent,
                                    uint32_t) {
  return launchThreads(f, {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ},
                       {localWorkSizeX, localWorkSizeY, localWorkSizeZ}, sharedMemBytes, hStream, kernelParams, extra,
                       startEvent, stopEvent);
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t hStream,
                                    void** kernelParams, void** extra, hipEvent_t startEvent, hipEvent_t stopEvent) {
  return launchThreads(f, {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ},
                       {localWorkSizeX, localWorkSizeY, localWorkSizeZ}, sharedMemBytes, hStream, kernelParams, extra,
                       startEvent, stopEvent);
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t f, void** params, void** extra) {
  if (f == nullptr) return hipErrorInvalidHandle;
  if (config == nullptr) return hipErrorInvalidValue;
  LaunchRequest request{.groups = {config->gridDimX, config->gridDimY, config->gridDimZ},
                        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                        .sharedBytes = config->sharedMemBytes,
                        .params = params,
                        .extra = extra};
  HIPR_TRY(readAttributes(config->attrs, config->numAttrs, request));
  return launchHandle(f, config->hStream, request);
}

}  // namespace hipr::api
