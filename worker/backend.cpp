#include "worker/backend.h"

#include <memory>
#include <utility>

namespace hipr::worker {
namespace {

void runHost(void* data) {
  const std::unique_ptr<std::function<void()>> function(static_cast<std::function<void()>*>(data));
  (*function)();
}

void runCallback(hipStream_t, hipError_t, void* data) {
  runHost(data);
}

}  // namespace

Backend::Backend(const HipTable& table, std::vector<int> devices) : hip(table), devices_(std::move(devices)) {}

void Backend::use(int device) const {
  struct Current {
    const Backend* backend;
    int device;
  };
  static thread_local Current current{nullptr, -1};
  if (current.backend == this && current.device == device) return;
  if (hip.hipSetDevice(native(device)) == hipSuccess) current = {this, device};
}

hipError_t Backend::callHost(hipStream_t stream, std::function<void()> function) const {
  auto data = std::make_unique<std::function<void()>>(std::move(function));
  // HIP 5.2 declares hipLaunchHostFunc but does not have it.
  const hipError_t error = hip.hipLaunchHostFunc ? hip.hipLaunchHostFunc(stream, runHost, data.get())
                                                 : hip.hipStreamAddCallback(stream, runCallback, data.get(), 0);
  if (error == hipSuccess) data.release();  // now the callback's
  return error;
}

EventPool::~EventPool() {
  for (hipEvent_t event : free_) backend_.hip.hipEventDestroy(event);
}

hipEvent_t EventPool::record(hipStream_t stream, hipError_t* error) {
  hipEvent_t event = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      event = free_.back();
      free_.pop_back();
    }
  }
  backend_.use(device_);
  if (!event) *error = backend_.hip.hipEventCreateWithFlags(&event, hipEventDisableTiming);
  if (event) *error = backend_.hip.hipEventRecord(event, stream);
  if (*error == hipSuccess) return event;
  if (event) give(event);
  return nullptr;
}

void EventPool::give(hipEvent_t event) {
  std::lock_guard lock(mutex_);
  free_.push_back(event);
}

}  // namespace hipr::worker
