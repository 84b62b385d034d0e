// Looking up this library's own exported functions by name. Compiled once for each soname (HIPR_ABI).
#include <cstring>
#include <string>

#include "abi/abi.h"
#include "abi/exported_rows.h"
#include "hip_remote/hip.h"

namespace hipr::abi {
namespace {

struct Symbol {
  const char* name;
  void* address;
};

const Symbol kSymbols[] = {
#define HIP_API(name, node, abis, verb, arity) HIPR_IN_##abis({#name, reinterpret_cast<void*>(&::name)}, )
#include "api/hip.def"
};

void* find(const char* name) {
  for (const Symbol& symbol : kSymbols) {
    if (std::strcmp(symbol.name, name) == 0) return symbol.address;
  }
  return nullptr;
}

}  // namespace

const int kSoname = HIPR_ABI;

void* exportedSymbol(const char* name, bool perThread) {
  if (HIPR_ABI >= 6) {
    // Since HIP 6 these two names mean the large property struct in source code, though not to the linker.
    if (std::strcmp(name, "hipGetDeviceProperties") == 0) name = "hipGetDevicePropertiesR0600";
    if (std::strcmp(name, "hipChooseDevice") == 0) name = "hipChooseDeviceR0600";
  }
  if (perThread) {
    if (void* twin = find((std::string(name) + "_spt").c_str())) return twin;
  }
  return find(name);
}

}  // namespace hipr::abi
