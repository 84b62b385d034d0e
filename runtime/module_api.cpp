// hipModule*: code a program loads itself.
#include <fstream>
#include <vector>

#include "base/log.h"
#include "code_object/select.h"
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/module.h"

namespace hipr::api {

namespace {

hipError_t loadBytes(hipModule_t* module, code::Bytes image) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  HIPR_TRY(asyncError(*device));
  Module* loaded;
  HIPR_TRY(loadModuleByHand(*p, *device, image, loaded));
  *module = reinterpret_cast<hipModule_t>(loaded);
  return hipSuccess;
}

hipError_t loadImage(hipModule_t* module, const void* image) {
  std::size_t size = 0;
  if (const Status status = code::imageSize(image, size); !status.ok()) {
    logError("hipModuleLoadData: %s", status.message().c_str());
    return hipErrorInvalidImage;
  }
  return loadBytes(module, {static_cast<const std::byte*>(image), size});
}

// In a module that has been unloaded nothing is found.
hipError_t findModule(Process& p, hipModule_t handle, Module*& out) {
  if (handle == nullptr) return hipErrorInvalidHandle;
  out = p.modules.find(handle);
  return out != nullptr ? hipSuccess : hipErrorNotFound;
}

}  // namespace

hipError_t hipModuleLoad(hipModule_t* module, const char* fname) {
  Process* p;
  HIPR_TRY(process(p));
  if (module == nullptr || fname == nullptr || *fname == 0) return hipErrorInvalidValue;
  std::ifstream file(fname, std::ios::binary | std::ios::ate);
  if (!file) return hipErrorFileNotFound;
  const std::streamoff size = file.tellg();
  if (size <= 0) return hipErrorInvalidImage;
  std::vector<char> bytes(static_cast<std::size_t>(size));
  if (!file.seekg(0).read(bytes.data(), size)) return hipErrorInvalidImage;
  return loadBytes(module, std::as_bytes(std::span(bytes)));
}

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  Process* p;
  HIPR_TRY(process(p));
  if (module == nullptr || image == nullptr) return hipErrorInvalidValue;
  return loadImage(module, image);
}

// The options speak to a compiler; our images are compiled already.
hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned int, hipJitOption*, void**) {
  return api::hipModuleLoadData(module, image);
}

hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* fatbin) {
  Process* p;
  HIPR_TRY(process(p));
  if (module == nullptr || fatbin == nullptr) return hipErrorInvalidValue;
  const void* image = fatbin;  // the compiler's wrapper, or what it points to
  if (const void* inner; code::fatBinaryImage(fatbin, inner).ok()) image = inner;
  return loadImage(module, image);
}

hipError_t hipModuleUnload(hipModule_t module) {
  Process* p;
  HIPR_TRY(process(p));
  if (module == nullptr) return hipErrorInvalidHandle;
  HIPR_TRY(p->captures.allocationAllowed());
  Module* m;
  HIPR_TRY(findModule(*p, module, m));
  return unloadModule(*p, m);
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* kname) {
  Process* p;
  HIPR_TRY(process(p));
  if (function == nullptr || kname == nullptr || *kname == 0) return hipErrorInvalidValue;
  Module* m;
  HIPR_TRY(findModule(*p, module, m));
  Function* f;
  HIPR_TRY(findFunction(*p, *m, kname, f));
  *function = reinterpret_cast<hipFunction_t>(f);
  return hipSuccess;
}

hipError_t hipModuleGetFunctionCount(unsigned int* count, hipModule_t mod) {
  Process* p;
  HIPR_TRY(process(p));
  if (count == nullptr) return hipErrorInvalidValue;
  Module* m = p->modules.find(mod);
  if (m == nullptr) return hipErrorInvalidHandle;
  *count = static_cast<unsigned>(m->code->allKernels().size());
  return hipSuccess;
}

hipError_t hipModuleEnumerateFunctions(hipFunction_t* functions, unsigned int numFunctions, hipModule_t module) {
  Process* p;
  HIPR_TRY(process(p));
  if (functions == nullptr || numFunctions == 0) return hipErrorInvalidValue;
  Module* m = p->modules.find(module);
  if (m == nullptr) return hipErrorInvalidHandle;
  for (const code::GpuKernel* kernel : m->code->allKernels()) {
    if (numFunctions-- == 0) break;
    Function* f;
    HIPR_TRY(findFunction(*p, *m, kernel->name(), f));
    *functions++ = reinterpret_cast<hipFunction_t>(f);
  }
  return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* dptr, size_t* bytes, hipModule_t hmod, const char* name) {
  Process* p;
  HIPR_TRY(process(p));
  if (name == nullptr || *name == 0 || (dptr == nullptr && bytes == nullptr)) return hipErrorInvalidValue;
  Module* m;
  HIPR_TRY(findModule(*p, hmod, m));
  void* address;
  std::size_t size;
  HIPR_TRY(findVariable(*p, *m, name, address, size));
  if (dptr != nullptr) *dptr = address;
  if (bytes != nullptr) *bytes = size;
  return hipSuccess;
}

}  // namespace hipr::api
