// The stand-in's device, modules and launches. A module is any PTX; its kernels are those that findKernel knows.
#include "tools/hip_on_cuda/fake_cuda.h"

#include <cstring>
#include <vector>

using namespace hipr::cuda;
using namespace hipr::cuda::fake;

namespace {

const Kernel& of(CUfunction function) {
  return *reinterpret_cast<const Kernel*>(function);
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
  return kCudaSuccess;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return kCudaSuccess;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return kCudaSuccess;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::strncpy(name, "a stand-in for a CUDA device", static_cast<std::size_t>(length) - 1);
  return kCudaSuccess;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  const bool big = attribute <= 9;  // sizes of groups and grids
  *value = attribute == 10   ? 32
           : attribute == 13 ? 1'000'000
           : attribute == 51 ? 32
           : attribute == 75 ? 9
           : big             ? 1024
                             : 1;
  return kCudaSuccess;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(0x1000);
  return kCudaSuccess;
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice) {
  waitForAll();
  return kCudaSuccess;
}
CUresult cuCtxSetCurrent(CUcontext) {
  return kCudaSuccess;
}
CUresult cuCtxGetLimit(std::size_t* value, int) {
  *value = 1024;
  return kCudaSuccess;
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return kCudaSuccess;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, int*, void**) {
  if (!std::strstr(static_cast<const char*>(image), ".version")) return 218;  // not PTX
  *module = reinterpret_cast<CUmodule>(0x2000);
  return kCudaSuccess;
}
CUresult cuModuleUnload(CUmodule) {
  return kCudaSuccess;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  const Kernel* kernel = findKernel(name);
  *function = reinterpret_cast<CUfunction>(const_cast<Kernel*>(kernel));
  return kernel ? kCudaSuccess : kNotFound;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr*, std::size_t*, CUmodule, const char*) {
  return kNotFound;
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const auto& parameters = of(function).parameters;
  if (index >= parameters.size()) return kCudaInvalidValue;
  *offset = parameters[index].offset;
  *bytes = parameters[index].size;
  return kCudaSuccess;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned, unsigned, unsigned blockX, unsigned, unsigned,
                        unsigned, CUstream stream, void** params, void** extra) {
  const Kernel& kernel = of(function);
  std::vector<char> arguments;
  const char* packed = nullptr;
  std::size_t size = 0;
  for (; extra && *extra != kLaunchEnd; extra += 2) {
    if (*extra == kLaunchBufferPointer) packed = static_cast<const char*>(extra[1]);
    if (*extra == kLaunchBufferSize) size = *static_cast<const std::size_t*>(extra[1]);
  }
  if (packed) arguments.assign(packed, packed + size);
  for (std::size_t i = 0; params && i < kernel.parameters.size(); ++i) {
    const auto [offset, bytes] = kernel.parameters[i];
    arguments.resize(offset + bytes);
    std::memcpy(arguments.data() + offset, params[i], bytes);
  }
  if (arguments.size() != kernel.argumentBytes()) return kCudaInvalidValue;
  return submit(stream, [&kernel, gridX, blockX, arguments = std::move(arguments)] {
    for (unsigned block = 0; block < gridX; ++block) {
      for (unsigned index = 0; index < blockX; ++index) kernel.run({block, index, blockX}, arguments.data());
    }
  });
}
}
