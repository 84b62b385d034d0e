#include "runtime/async_error.h"

#include <atomic>

#include "base/log.h"
#include "runtime/api.h"

namespace hipr {

namespace {
std::atomic<hipError_t> pending{hipSuccess};
}  // namespace

void raiseAsyncError(hipError_t error, const std::string& what) {
  logError("%s: %s (%s)", what.c_str(), api::hipGetErrorName(error), api::hipGetErrorString(error));
  hipError_t none = hipSuccess;
  pending.compare_exchange_strong(none, error);
}

hipError_t asyncError() {
  return pending.load(std::memory_order_relaxed);
}

void clearAsyncError() {
  pending.store(hipSuccess);
}

}  // namespace hipr
