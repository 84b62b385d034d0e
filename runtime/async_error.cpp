#include "runtime/async_error.h"

#include "base/log.h"
#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr {

namespace {

void setFirst(std::atomic<hipError_t>& slot, hipError_t error) {
  hipError_t none = hipSuccess;
  slot.compare_exchange_strong(none, error);
}

}  // namespace

void AsyncError::keep(hipError_t error) {
  setFirst(kept_, error);
}

void AsyncError::report(hipError_t error) {
  setFirst(passing_, error);
}

void AsyncError::clear() {
  kept_.store(hipSuccess);
  passing_.store(hipSuccess);
}

void raiseAsyncError(Core& core, hipError_t error, const std::string& what) {
  logError("%s: %s (%s)", what.c_str(), api::hipGetErrorName(error), api::hipGetErrorString(error));
  core.asyncError.keep(error);
}

hipError_t asyncError(const Device& device) {
  return device.evenLost().asyncError.take();
}

hipError_t asyncError() {
  Process* p = livingProcess();
  Device* device;
  if (p == nullptr || findDevice(*p, threadState().device, device) != hipSuccess) return hipSuccess;
  return device->evenLost().asyncError.kept();
}

}  // namespace hipr
