// Backend: the HIP runtime of this session, with the few conveniences every handler needs. Thread-safe.
#pragma once

#include <mutex>
#include <vector>

#include "worker/hip_table.h"

namespace hipr::worker {

class Backend {
 public:
  // `devices` maps the client's device numbers to the runtime's.
  Backend(const HipTable& table, std::vector<int> devices);

  const HipTable hip;

  int devices() const { return static_cast<int>(devices_.size()); }
  int native(int device) const { return devices_[static_cast<std::size_t>(device)]; }

  // Makes it the calling thread's device, if it is not already.
  void use(int device) const;

 private:
  const std::vector<int> devices_;
};

// Events for our own bookkeeping, reused because every wait needs one.
class EventPool {
 public:
  EventPool(const Backend& backend, int device) : backend_(backend), device_(device) {}
  ~EventPool();

  // Records a fresh one on the stream. Null, with the error, when that fails.
  hipEvent_t record(hipStream_t stream, hipError_t* error);
  void give(hipEvent_t event);

 private:
  const Backend& backend_;
  const int device_;
  std::mutex mutex_;
  std::vector<hipEvent_t> free_;
};

}  // namespace hipr::worker
