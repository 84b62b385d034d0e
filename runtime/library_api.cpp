// hipLibrary* and hipKernel*.
#include <fstream>
#include <iterator>

#include "base/log.h"
#include "code_object/select.h"
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/function.h"
#include "runtime/module.h"

namespace hipr::api {

namespace {

hipError_t makeLibrary(Process& p, std::vector<std::byte> image, hipLibrary_t* out) {
  Library* library = p.libraries.create();
  if (library == nullptr) return hipErrorOutOfMemory;
  library->image = std::move(image);
  *out = reinterpret_cast<hipLibrary_t>(library);
  return hipSuccess;
}

// The library's code on the current device. Null handles are the caller's business.
hipError_t codeOf(Process& p, hipLibrary_t handle, Module*& out) {
  Library* library = p.libraries.find(handle);
  if (library == nullptr) return hipErrorInvalidHandle;
  Device* device;
  HIPR_TRY(findDevice(p, threadState().device, device));
  HIPR_TRY(asyncError(*device));
  return libraryModule(p, *library, *device, out);
}

hipKernel_t handleOf(Function* kernel) {
  return reinterpret_cast<hipKernel_t>(kernel);
}

// A kernel of a library, and the same kernel on a device the program names.
hipError_t findKernel(Process& p, hipKernel_t handle, Function*& out) {
  out = p.functions.find(handle);
  return out != nullptr && out->module->library != nullptr ? hipSuccess : hipErrorInvalidHandle;
}
hipError_t findKernelOn(Process& p, hipKernel_t handle, hipDevice_t ordinal, Function*& out) {
  Function* kernel;
  Device* device;
  HIPR_TRY(findKernel(p, handle, kernel));
  HIPR_TRY(findDevice(p, ordinal, device));
  return kernelOn(p, *device, *kernel, out);
}

}  // namespace

// Nothing is read of the code yet but its size, and a copy is kept: the program may free it.
hipError_t hipLibraryLoadData(hipLibrary_t* library, const void* code, hipJitOption*, void**,
                              unsigned int numJitOptions, hipLibraryOption*, void**, unsigned int) {
  Process* p;
  HIPR_TRY(process(p));
  if (library == nullptr || code == nullptr || numJitOptions > 0) return hipErrorInvalidValue;
  std::size_t size = 0;
  if (const Status status = code::imageSize(code, size); !status.ok()) {
    logError("hipLibraryLoadData: %s; whatever is asked of this library will fail", status.message().c_str());
    size = 0;
  }
  const auto* bytes = static_cast<const std::byte*>(code);
  return makeLibrary(*p, {bytes, bytes + size}, library);
}

hipError_t hipLibraryLoadFromFile(hipLibrary_t* library, const char* fileName, hipJitOption*, void**,
                                  unsigned int numJitOptions, hipLibraryOption*, void**, unsigned int) {
  Process* p;
  HIPR_TRY(process(p));
  if (library == nullptr || fileName == nullptr || numJitOptions > 0) return hipErrorInvalidValue;
  std::ifstream file(fileName, std::ios::binary);
  if (!file) return hipErrorInvalidValue;
  const std::vector<char> content(std::istreambuf_iterator<char>(file), {});
  const auto bytes = std::as_bytes(std::span(content));
  return makeLibrary(*p, {bytes.begin(), bytes.end()}, library);
}

hipError_t hipLibraryUnload(hipLibrary_t library) {
  Process* p;
  HIPR_TRY(process(p));
  Library* taken = p->libraries.take(library);
  if (taken == nullptr) return hipErrorInvalidHandle;
  unloadLibrary(*p, taken);
  p->libraries.recycle(taken);
  return hipSuccess;
}

hipError_t hipLibraryGetKernelCount(unsigned int* count, hipLibrary_t library) {
  Process* p;
  Module* code;
  HIPR_TRY(process(p));
  if (count == nullptr || library == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(codeOf(*p, library, code));
  *count = static_cast<unsigned>(code->code->allKernels().size());
  return hipSuccess;
}

hipError_t hipLibraryGetKernel(hipKernel_t* pKernel, hipLibrary_t library, const char* name) {
  Process* p;
  Module* code;
  Function* kernel;
  HIPR_TRY(process(p));
  if (pKernel == nullptr || library == nullptr || name == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(codeOf(*p, library, code));
  HIPR_TRY(findFunction(*p, *code, name, kernel));
  *pKernel = handleOf(kernel);
  return hipSuccess;
}

hipError_t hipLibraryEnumerateKernels(hipKernel_t* kernels, unsigned int numKernels, hipLibrary_t library) {
  Process* p;
  Module* code;
  HIPR_TRY(process(p));
  if (kernels == nullptr || library == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(codeOf(*p, library, code));
  for (const code::GpuKernel* kernel : code->code->allKernels()) {
    if (numKernels-- == 0) break;
    Function* function;
    HIPR_TRY(findFunction(*p, *code, kernel->name(), function));
    *kernels++ = handleOf(function);
  }
  return hipSuccess;
}

hipError_t hipLibraryGetGlobal(void** dptr, size_t* bytes, hipLibrary_t library, const char* name) {
  Process* p;
  Module* code;
  void* address;
  std::size_t size;
  HIPR_TRY(process(p));
  if ((dptr == nullptr && bytes == nullptr) || name == nullptr || *name == 0) return hipErrorInvalidValue;
  HIPR_TRY(codeOf(*p, library, code));
  HIPR_TRY(findVariable(*p, *code, name, address, size));
  if (dptr != nullptr) *dptr = address;
  if (bytes != nullptr) *bytes = size;
  return hipSuccess;
}

hipError_t hipLibraryGetManaged(void** dptr, size_t* bytes, hipLibrary_t library, const char* name) {
  Process* p;
  Module* code;
  HIPR_TRY(process(p));
  if ((dptr == nullptr && bytes == nullptr) || name == nullptr || *name == 0) return hipErrorInvalidValue;
  HIPR_TRY(codeOf(*p, library, code));
  const code::Variable* variable = code->code->findVariable(name);
  if (variable == nullptr || !variable->managed) return hipErrorNotFound;
  return api::hipLibraryGetGlobal(dptr, bytes, library, name);
}

hipError_t hipKernelGetLibrary(hipLibrary_t* library, hipKernel_t kernel) {
  Process* p;
  Function* f;
  HIPR_TRY(process(p));
  if (library == nullptr || kernel == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findKernel(*p, kernel, f));
  *library = reinterpret_cast<hipLibrary_t>(f->module->library);
  return hipSuccess;
}

hipError_t hipKernelGetName(const char** name, hipKernel_t kernel) {
  Process* p;
  Function* f;
  HIPR_TRY(process(p));
  if (name == nullptr || kernel == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findKernel(*p, kernel, f));
  *name = f->kernel->name().c_str();
  return hipSuccess;
}

// On the current device.
hipError_t hipKernelGetFunction(hipFunction_t* pFunc, hipKernel_t kernel) {
  Process* p;
  Function* f;
  HIPR_TRY(process(p));
  if (pFunc == nullptr || kernel == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findKernelOn(*p, kernel, threadState().device, f));
  *pFunc = reinterpret_cast<hipFunction_t>(f);
  return hipSuccess;
}

// Any function will do, as in AMD's runtime.
hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  Process* p;
  HIPR_TRY(process(p));
  if (kernel == nullptr || paramOffset == nullptr) return hipErrorInvalidValue;
  const Function* f = p->functions.find(kernel);
  if (f == nullptr) return hipErrorInvalidDeviceFunction;
  const auto place = f->kernel->argument(paramIndex);
  if (!place) return hipErrorInvalidValue;
  *paramOffset = place->offset;
  if (paramSize != nullptr) *paramSize = place->size;
  return hipSuccess;
}

hipError_t hipKernelGetAttribute(int* pi, hipFunction_attribute attrib, hipKernel_t kernel, hipDevice_t dev) {
  Process* p;
  Function* f;
  HIPR_TRY(process(p));
  if (pi == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findKernelOn(*p, kernel, dev, f));
  if (attrib < KernelWishes::kFirst) return functionAttribute(*f, attrib, *pi);
  if (static_cast<int>(attrib) >= hipFuncAttributeMax) return hipErrorInvalidValue;
  int otherwise = 0;
  if (attrib == HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) otherwise = availableShared(*f);
  if (attrib == HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) otherwise = -1;
  *pi = f->asKernel.get(attrib, otherwise);
  return hipSuccess;
}

hipError_t hipKernelSetAttribute(hipFunction_attribute attrib, int value, hipKernel_t kernel, hipDevice_t dev) {
  Process* p;
  HIPR_TRY(process(p));
  if (kernel == nullptr) return hipErrorInvalidValue;
  const hipError_t error =
      api::hipKernelSetAttributeForDevice(kernel, static_cast<hipFuncAttribute>(attrib), value, dev);
  return error == hipErrorInvalidHandle ? hipErrorInvalidDeviceFunction : error;
}

hipError_t hipKernelSetAttributeForDevice(hipKernel_t kernel, hipFuncAttribute attr, int value, int device) {
  Process* p;
  Function* f;
  HIPR_TRY(process(p));
  HIPR_TRY(findKernelOn(*p, kernel, device, f));
  const auto store = [&](bool valid, int value) {
    if (valid) f->asKernel.at(attr) = value;
    return valid ? hipSuccess : hipErrorInvalidValue;
  };
  switch (attr) {
    case hipFuncAttributeMaxDynamicSharedMemorySize:
      return store(value >= 0 && value <= availableShared(*f), value);
    case hipFuncAttributePreferredSharedMemoryCarveout:
      return store(value >= -1 && value <= 100, value);
    case hipFuncAttributeRequiredClusterWidth:
    case hipFuncAttributeRequiredClusterHeight:
    case hipFuncAttributeRequiredClusterDepth:
      return store(value >= 0, value);
    case hipFuncAttributeNonPortableClusterSizeAllowed:
      return store(true, value != 0);
    case hipFuncAttributeClusterSchedulingPolicyPreference:
      return store(value >= 0 && value <= 2, value);
    default:
      return hipErrorInvalidValue;
  }
}

}  // namespace hipr::api
