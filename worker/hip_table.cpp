#include "worker/hip_table.h"

#include <dlfcn.h>

namespace hipr::worker {
namespace {

template <class Entry>
void resolve(void* library, const char* symbol, Entry& entry) {
  if (entry) return;
  if (void* found = dlsym(library, symbol)) entry = reinterpret_cast<typename Entry::Pointer>(found);
}

}  // namespace

const char* HipTable::errorName(hipError_t error) const {
  const char* name = hipGetErrorName ? hipGetErrorName(error) : nullptr;
  return name ? name : "unknown error";
}

Status loadHip(const std::string& path, HipTable& table) {
  // Local: two runtimes may be looked at in one process, and neither may see the other's symbols.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return Status::notFound(dlerror());
#define HIP_API(name, node, abis, verb, arity) resolve(library, #name, table.name);
// Some rows exist under a C++ name only, and have no entry.
#define HIP_API_CXX(name, symbol, node, abis, verb, arity)                \
  [&](auto& t) {                                                          \
    if constexpr (requires { t.name; }) resolve(library, symbol, t.name); \
  }(table);
#include "api/hip.def"
  if (!table.hipGetDeviceCount || !table.hipMemcpyAsync || !table.hipModuleLaunchKernel) {
    return Status::invalid(path + " is not a HIP runtime");
  }
  return {};
}

}  // namespace hipr::worker
