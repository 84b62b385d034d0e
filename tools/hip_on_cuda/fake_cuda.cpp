// The stand-in's device, modules and kernels. A module is any PTX; of its kernels those of kernels.c are known by name.
#include "tools/hip_on_cuda/fake_cuda.h"

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

using namespace hipr::cuda;
using namespace hipr::cuda::fake;

namespace {

struct Launch {
  unsigned groups, block;
  std::vector<char> arguments;
  void (*run)(const Launch&);

  template <class T>
  T argument(std::size_t offset) const {
    T value;
    std::memcpy(&value, arguments.data() + offset, sizeof value);
    return value;
  }
};

void runWork(const Launch& launch) {
  auto* out = launch.argument<float*>(0);
  const int rounds = launch.argument<int>(8);
  for (unsigned item = 0; item < launch.groups * launch.block; ++item) {
    volatile float x = static_cast<float>(item);  // volatile: multiply and add are rounded separately
    for (int i = 0; i < rounds; ++i) {
      x = x * 0.999f;
      x = x + 1.0f;
    }
    out[item] = x;
  }
}

void runSpin(const Launch& launch) {  // a tick is a nanosecond
  const auto duration = launch.argument<std::uint64_t>(8);
  const auto start = std::chrono::steady_clock::now();
  std::chrono::nanoseconds passed{0};
  while (static_cast<std::uint64_t>(passed.count()) < duration) passed = std::chrono::steady_clock::now() - start;
  *launch.argument<std::uint64_t*>(0) = static_cast<std::uint64_t>(passed.count());
}

struct Kernel {
  const char* name;
  std::vector<std::size_t> parameters;
  void (*run)(const Launch&);
};
const Kernel kKernels[] = {{"empty", {4}, [](const Launch&) {}}, {"work", {8, 4}, runWork}, {"spin", {8, 8}, runSpin}};

const Kernel& of(CUfunction function) {
  return *reinterpret_cast<const Kernel*>(function);
}

std::size_t argumentBytes(const Kernel& kernel) {
  std::size_t bytes = 0;
  for (const std::size_t parameter : kernel.parameters) bytes += parameter;  // none of them needs padding
  return bytes;
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
  *value = attribute == 10 ? 32 : attribute == 13 ? 1'000'000 : attribute == 75 ? 9 : big ? 1024 : 1;
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
  for (const Kernel& kernel : kKernels) {
    if (std::string(kernel.name) != name) continue;
    *function = reinterpret_cast<CUfunction>(const_cast<Kernel*>(&kernel));
    return kCudaSuccess;
  }
  return kNotFound;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr*, std::size_t*, CUmodule, const char*) {
  return kNotFound;
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const auto& parameters = of(function).parameters;
  if (index >= parameters.size()) return kCudaInvalidValue;
  *offset = 0;
  for (std::size_t i = 0; i < index; ++i) *offset += parameters[i];
  *bytes = parameters[index];
  return kCudaSuccess;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned, unsigned, unsigned blockX, unsigned, unsigned,
                        unsigned, CUstream stream, void** params, void** extra) {
  const Kernel& kernel = of(function);
  Launch launch{gridX, blockX, {}, kernel.run};
  const char* packed = nullptr;
  std::size_t size = 0;
  for (; extra && *extra != kLaunchEnd; extra += 2) {
    if (*extra == kLaunchBufferPointer) packed = static_cast<const char*>(extra[1]);
    if (*extra == kLaunchBufferSize) size = *static_cast<const std::size_t*>(extra[1]);
  }
  if (packed) launch.arguments.assign(packed, packed + size);
  for (std::size_t i = 0; params && i < kernel.parameters.size(); ++i) {
    const char* value = static_cast<const char*>(params[i]);
    launch.arguments.insert(launch.arguments.end(), value, value + kernel.parameters[i]);
  }
  if (launch.arguments.size() != argumentBytes(kernel)) return kCudaInvalidValue;
  return submit(stream, [launch = std::move(launch)] { launch.run(launch); });
}
}
