#include "testing/hip.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

extern "C" const char hiprTestKernels[], hiprTestKernelsEnd[];

namespace hipr::testing {

void Hip::check(hipError_t error, const char* what) const {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, api.errorName(error));
  std::exit(1);
}

Status Hip::load(const std::string& library) {
  if (Status status = worker::loadHip(library, api); !status.ok()) return status;
  int devices = 0;
  const hipError_t error = api.hipGetDeviceCount(&devices);
  if (error != hipSuccess || devices == 0) return Status::unavailable(library + ": " + api.errorName(error));
  HIPR_CHECK(*this, hipModuleLoadData(&module, kernelImage()));
  HIPR_CHECK(*this, hipModuleGetFunction(&empty, module, "empty"));
  HIPR_CHECK(*this, hipModuleGetFunction(&work, module, "work"));
  HIPR_CHECK(*this, hipStreamCreate(&stream));
  return {};
}

void Hip::launch(hipFunction_t kernel, unsigned groups, unsigned block, void** arguments) const {
  HIPR_CHECK(*this, hipModuleLaunchKernel(kernel, groups, 1, 1, block, 1, 1, 0, stream, arguments, nullptr));
}

const void* kernelImage() {
  return hiprTestKernels;
}

std::size_t kernelImageSize() {
  return static_cast<std::size_t>(hiprTestKernelsEnd - hiprTestKernels);
}

float workResult(int item, int rounds) {
  volatile float x = static_cast<float>(item);  // volatile: the kernel's multiply and add are rounded separately
  for (int i = 0; i < rounds; ++i) {
    x = x * 0.999f;
    x = x + 1.0f;
  }
  return x;
}

namespace {

std::string fromHere(const std::string& path) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / path).lexically_normal().string();
}

}  // namespace

std::string remoteLibrary(int abi) {
  return fromHere("../lib/libamdhip64.so." + std::to_string(abi));
}
std::string softgpuLibrary(int abi) {
  return fromHere("../lib/softgpu/libamdhip64.so." + std::to_string(abi));
}

}  // namespace hipr::testing
