// load_test LIBRARY ABI: opening a HIP library is harmless in any process. No thread, no file, no socket, no output,
// and what needs no device answers without one.
#include <dirent.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "hip_remote/hip.h"

namespace {

int failures = 0;

void expect(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  ++failures;
}

std::set<std::string> entries(const char* folder) {
  std::set<std::string> names;
  DIR* dir = opendir(folder);
  while (const dirent* entry = readdir(dir)) names.insert(entry->d_name);
  closedir(dir);
  return names;
}

template <typename Function>
Function* symbol(void* library, const char* name) {
  void* address = dlsym(library, name);
  if (address == nullptr) {
    std::fprintf(stderr, "FAILED: no symbol %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function*>(address);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int abi = std::atoi(argv[2]);
  const auto filesBefore = entries("/proc/self/fd");
  const auto threadsBefore = entries("/proc/self/task");

  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "FAILED: %s\n", dlerror());
    return 1;
  }
  expect(entries("/proc/self/task") == threadsBefore, "loading starts no thread");
  expect(entries("/proc/self/fd") == filesBefore, "loading opens no file");

  expect(dlvsym(library, "hipMalloc", "hip_4.2") != nullptr, "hipMalloc is in hip_4.2");
  expect((dlsym(library, "hipDrvLaunchKernelEx") != nullptr) == (abi == 7), "symbols of HIP 7 are in 7 only");
  expect((dlsym(library, "hiprtcCreateProgram") != nullptr) == (abi < 7), "hiprtc left in HIP 7");

  const auto errorName = symbol<decltype(hipGetErrorName)>(library, "hipGetErrorName");
  expect(std::string(errorName(hipErrorInvalidValue)) == "hipErrorInvalidValue", "names of errors");
  expect(symbol<decltype(hipPeekAtLastError)>(library, "hipPeekAtLastError")() == hipSuccess, "no error at the start");
  hipGraph_t graph;
  const auto graphCreate = symbol<decltype(hipGraphCreate)>(library, "hipGraphCreate");
  const hipError_t error = graphCreate(&graph, 1u << 31);
  expect(error != hipSuccess, "a call that cannot succeed fails");
  expect(symbol<decltype(hipGetLastError)>(library, "hipGetLastError")() == error, "the error is remembered");

  expect(entries("/proc/self/task") == threadsBefore, "answering these starts no thread");
  expect(entries("/proc/self/fd") == filesBefore, "answering these opens no file");
  expect(dlclose(library) == 0, "closing");
  return failures == 0 ? 0 : 1;
}
