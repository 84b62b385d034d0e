// Looking up this library's own exported functions by name, never an interposed one. Compiled once for each soname
// (HIPR_ABI).
#include <cstring>
#include <string>

#include "abi/exported_rows.h"
#include "hip_remote/hip.h"
#include "runtime/api.h"
#include "runtime/proc_address.h"

namespace hipr {

namespace {

struct Symbol {
  const char* name;
  void* address;
};

const Symbol kSymbols[] = {
#define HIP_API(name, node, abis, verb, arity) HIPR_IN_##abis({#name, reinterpret_cast<void*>(&::name)}, )
#include "api/hip.def"
#if HIPR_ABI == 7  // where hiprtc has a library of its own, which comes here (libs/hiprtc.cpp)
#define HIP_API(name, node, abis, verb, arity) {#name, reinterpret_cast<void*>(&hipr::api::name)},
#include "api/hip/hiprtc.def"
#undef HIP_API
#endif
};

void* find(const char* name) {
  for (const Symbol& symbol : kSymbols) {
    if (std::strcmp(symbol.name, name) == 0) return symbol.address;
  }
  return nullptr;
}

}  // namespace

void* exportedSymbol(const char* name, bool perThread) {
  if (perThread) {
    if (void* twin = find((std::string(name) + "_spt").c_str())) return twin;
  }
  return find(name);
}

}  // namespace hipr
