// Modules and launches: the PTX inside an AMD code object, and arguments packed as AMD's kernels expect them, which is
// how PTX lays them out too.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "code_object/elf.h"
#include "tools/hip_on_cuda/driver.h"
#include "tools/hip_on_cuda/launch_arguments.h"
#include "tools/hip_on_cuda/ptx_section.h"

namespace hipr::cuda {
namespace {

struct Function {
  CUfunction handle = nullptr;
  std::size_t argumentBytes = SIZE_MAX;  // what the PTX declares; unknown with drivers before 12.4
};

struct Module {
  CUmodule handle = nullptr;
  std::mutex mutex;
  std::map<std::string, Function> functions;  // nodes stay where they are: a hipFunction_t points to one
};

Module& of(hipModule_t module) {
  return *reinterpret_cast<Module*>(module);
}
const Function& of(hipFunction_t function) {
  return *reinterpret_cast<const Function*>(function);
}

std::size_t declaredBytes(CUfunction function) {
  if (!driver().funcGetParamInfo) return SIZE_MAX;
  std::size_t end = 0, offset = 0, bytes = 0;
  for (std::size_t i = 0; driver().funcGetParamInfo(function, i, &offset, &bytes) == kCudaSuccess; ++i) {
    end = std::max(end, offset + bytes);
  }
  return end;
}

hipError_t load(const void* image, CUmodule& out) {
  std::size_t size = 0;
  std::string ptx;
  Status status = code::elfSize(image, size);
  if (status.ok()) status = findPtx({static_cast<const std::byte*>(image), size}, ptx);
  if (!status.ok()) {
    std::fprintf(stderr, "hip_on_cuda: hipModuleLoadData: %s\n", status.message().c_str());
    return hipErrorNoBinaryForGpu;
  }
  char log[4096] = "";
  constexpr int kErrorLog = 5, kErrorLogBytes = 6;
  int options[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const hipError_t error = call(&Driver::moduleLoadDataEx, &out, ptx.c_str(), 2u, options, values);
  if (error != hipSuccess) {
    std::fprintf(stderr, "hip_on_cuda: the PTX does not load: %s\n%s\n", errorName(error), log);
  }
  return error;
}

}  // namespace
}  // namespace hipr::cuda

using namespace hipr::cuda;

extern "C" {

hipError_t hipModuleLoadData(hipModule_t* out, const void* image) {
  if (!out || !image) return hipErrorInvalidValue;
  auto module = std::make_unique<Module>();
  if (const hipError_t error = load(image, module->handle); error != hipSuccess) return error;
  *out = reinterpret_cast<hipModule_t>(module.release());
  return hipSuccess;
}

hipError_t hipModuleUnload(hipModule_t module) {
  if (!module) return hipErrorInvalidHandle;
  const std::unique_ptr<Module> owned(&of(module));
  return call(&Driver::moduleUnload, owned->handle);
}

hipError_t hipModuleGetFunction(hipFunction_t* out, hipModule_t module, const char* name) {
  if (!out || !module || !name) return hipErrorInvalidValue;
  Module& m = of(module);
  std::lock_guard lock(m.mutex);
  Function& function = m.functions[name];
  if (!function.handle) {
    if (const hipError_t error = call(&Driver::moduleGetFunction, &function.handle, m.handle, name);
        error != hipSuccess) {
      m.functions.erase(name);
      return error;
    }
    function.argumentBytes = declaredBytes(function.handle);
  }
  *out = reinterpret_cast<hipFunction_t>(&function);
  return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* out, size_t* bytes, hipModule_t module, const char* name) {
  if (!out || !module || !name) return hipErrorInvalidValue;
  CUdeviceptr found = 0;
  size_t size = 0;
  const hipError_t error = call(&Driver::moduleGetGlobal, &found, &size, of(module).handle, name);
  *out = reinterpret_cast<hipDeviceptr_t>(found);
  if (bytes) *bytes = size;
  return error;
}

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridX, unsigned int gridY, unsigned int gridZ,
                                 unsigned int blockX, unsigned int blockY, unsigned int blockZ,
                                 unsigned int sharedBytes, hipStream_t stream, void** params, void** extra) {
  if (!f) return hipErrorInvalidValue;
  const Function& function = of(f);
  LaunchArguments arguments;
  if (extra && !arguments.read(extra, function.argumentBytes)) {
    std::fprintf(stderr, "hip_on_cuda: the arguments of a launch are fewer than its PTX declares\n");
    return hipErrorInvalidValue;
  }
  return call(&Driver::launchKernel, function.handle, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes,
              native(stream), params, arguments.extra());
}

// Counts work-items instead of groups, and takes events around the kernel.
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t itemsX, uint32_t itemsY, uint32_t itemsZ, uint32_t blockX,
                                    uint32_t blockY, uint32_t blockZ, size_t sharedBytes, hipStream_t stream,
                                    void** params, void** extra, hipEvent_t start, hipEvent_t stop, uint32_t) {
  if (!blockX || !blockY || !blockZ) return hipErrorInvalidConfiguration;
  if (itemsX % blockX || itemsY % blockY || itemsZ % blockZ) return hipErrorNotSupported;  // CUDA has whole groups only
  hipError_t error = start ? hipEventRecord(start, stream) : hipSuccess;
  if (error == hipSuccess) {
    error = hipModuleLaunchKernel(f, itemsX / blockX, itemsY / blockY, itemsZ / blockZ, blockX, blockY, blockZ,
                                  static_cast<unsigned>(sharedBytes), stream, params, extra);
  }
  if (error == hipSuccess && stop) error = hipEventRecord(stop, stream);
  return error;
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridX, unsigned int gridY, unsigned int gridZ,
                                            unsigned int blockX, unsigned int blockY, unsigned int blockZ,
                                            unsigned int sharedBytes, hipStream_t stream, void** params) {
  if (!f) return hipErrorInvalidValue;
  return call(&Driver::launchCooperativeKernel, of(f).handle, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes,
              native(stream), params);
}
}
