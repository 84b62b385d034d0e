// hipGetProcAddress and hipGetDriverEntryPoint: functions by name. The version of HIP that a program states decides
// what a name means; nothing is withheld for being younger.
#include "runtime/proc_address.h"

#include <climits>
#include <string_view>

#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

enum : std::uint64_t { kDefaultStream = 0, kLegacyStream = 1, kPerThreadStream = 2 };

// Since 6.0 (600: 100 × major + minor) headers mean other functions by these two names.
const char* nameIn(const char* symbol, int version) {
  const std::string_view name = symbol;
  if (version >= 600 && name == "hipGetDeviceProperties") return "hipGetDevicePropertiesR0600";
  if (version >= 600 && name == "hipChooseDevice") return "hipChooseDeviceR0600";
  return symbol;
}

hipDriverProcAddressQueryResult lookUp(const char* symbol, int version, std::uint64_t flags, void*& out) {
  const bool perThread = flags == kPerThreadStream || (flags == kDefaultStream && threadState().perThreadDefault);
  out = exportedSymbol(nameIn(symbol, version), perThread);
  return out != nullptr ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

hipError_t errorOf(hipDriverProcAddressQueryResult result) {
  return result == HIP_GET_PROC_ADDRESS_SUCCESS ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace

hipError_t hipGetProcAddress(const char* symbol, void** pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult* symbolStatus) {
  if (symbol == nullptr || *symbol == 0 || pfn == nullptr || flags > kPerThreadStream) return hipErrorInvalidValue;
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
