// RemoteCore: virtual memory management is not carried to the worker yet.
#include "base/log.h"
#include "client/remote_core.h"

namespace hipr::client {
namespace {

hipError_t notCarried() {
  static LogOnce once;
  once.error(
      "virtual memory management (hipMemAddressReserve, hipMemCreate, hipMemMap, …) is not carried to a worker yet");
  return hipErrorNotSupported;
}

}  // namespace

hipError_t RemoteCore::memAddressReserve(void**, std::size_t, std::size_t, void*) {
  return notCarried();
}
hipError_t RemoteCore::memAddressFree(void*, std::size_t) {
  return notCarried();
}
hipError_t RemoteCore::memCreate(std::uint64_t*, std::size_t, const hipMemAllocationProp&) {
  return notCarried();
}
hipError_t RemoteCore::memRelease(std::uint64_t) {
  return notCarried();
}
hipError_t RemoteCore::memMap(void*, std::size_t, std::size_t, std::uint64_t) {
  return notCarried();
}
hipError_t RemoteCore::memUnmap(void*, std::size_t) {
  return notCarried();
}
hipError_t RemoteCore::memSetAccess(void*, std::size_t, const hipMemAccessDesc*, std::size_t) {
  return notCarried();
}

}  // namespace hipr::client
