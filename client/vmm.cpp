// core: virtual memory management is not carried to the worker yet.
#include "base/log.h"
#include "runtime/core.h"

namespace hipr::core {
namespace {

hipError_t notCarried() {
  static LogOnce once;
  once.error(
      "virtual memory management (hipMemAddressReserve, hipMemCreate, hipMemMap, …) is not carried to a worker yet");
  return hipErrorNotSupported;
}

}  // namespace

hipError_t memAddressReserve(void**, std::size_t, std::size_t, void*) {
  return notCarried();
}
hipError_t memAddressFree(void*, std::size_t) {
  return notCarried();
}
hipError_t memCreate(std::uint64_t*, std::size_t, const hipMemAllocationProp&) {
  return notCarried();
}
hipError_t memRelease(std::uint64_t) {
  return notCarried();
}
hipError_t memMap(void*, std::size_t, std::size_t, std::uint64_t) {
  return notCarried();
}
hipError_t memUnmap(void*, std::size_t) {
  return notCarried();
}
hipError_t memSetAccess(void*, std::size_t, const hipMemAccessDesc*, std::size_t) {
  return notCarried();
}
std::size_t memGranularity(int) {
  return 0;
}

}  // namespace hipr::core
