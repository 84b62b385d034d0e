// hipGetProcAddress and hipGetDriverEntryPoint: functions by name, for a stated version of HIP.
#include "runtime/proc_address.h"

#include <climits>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

enum : std::uint64_t { kDefaultStream = 0, kLegacyStream = 1, kPerThreadStream = 2 };

// "hip_5.1" is 501: 100 × major + minor, as programs state versions.
int versionOf(const char* node) {
  int major = 0, minor = 0;
  return std::sscanf(node, "hip_%d.%d", &major, &minor) == 2 ? major * 100 + minor : 0;
}

int sinceVersion(std::string_view name) {
  static const auto* versions = new std::unordered_map<std::string_view, int>{
#define HIP_API(name, node, abis, verb, arity) {#name, versionOf(node)},
#include "api/hip.def"
  };
  const auto it = versions->find(name);
  return it != versions->end() ? it->second : 0;
}

// Since 6.0 headers mean other functions by these two names.
const char* nameIn(const char* symbol, int version) {
  const std::string_view name = symbol;
  if (version >= 600 && name == "hipGetDeviceProperties") return "hipGetDevicePropertiesR0600";
  if (version >= 600 && name == "hipChooseDevice") return "hipChooseDeviceR0600";
  return symbol;
}

hipDriverProcAddressQueryResult lookUp(const char* symbol, int version, std::uint64_t flags, void*& out) {
  const bool perThread = flags == kPerThreadStream || (flags == kDefaultStream && threadState().perThreadDefault);
  out = exportedSymbol(nameIn(symbol, version), perThread);
  if (out == nullptr) return HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (sinceVersion(symbol) <= version) return HIP_GET_PROC_ADDRESS_SUCCESS;
  out = nullptr;
  return HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
}

hipError_t errorOf(hipDriverProcAddressQueryResult result) {
  return result == HIP_GET_PROC_ADDRESS_SUCCESS ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace

hipError_t hipGetProcAddress(const char* symbol, void** pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult* symbolStatus) {
  if (symbol == nullptr || *symbol == 0 || pfn == nullptr || hipVersion < 0 || flags > kPerThreadStream)
    return hipErrorInvalidValue;
  const hipDriverProcAddressQueryResult result = lookUp(symbol, hipVersion, flags, *pfn);
  if (symbolStatus != nullptr) *symbolStatus = result;
  return errorOf(result);
}

hipError_t hipGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                  hipDriverEntryPointQueryResult* driverStatus) {
  if (symbol == nullptr || *symbol == 0 || funcPtr == nullptr || flags > kPerThreadStream) return hipErrorInvalidValue;
  const hipDriverProcAddressQueryResult result = lookUp(symbol, INT_MAX, flags, *funcPtr);
  if (driverStatus != nullptr)
    *driverStatus =
        result == HIP_GET_PROC_ADDRESS_SUCCESS ? hipDriverEntryPointSuccess : hipDriverEntryPointSymbolNotFound;
  return errorOf(result);
}

}  // namespace hipr::api
