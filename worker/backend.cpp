#include "worker/backend.h"

#include <utility>

namespace hipr::worker {
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
