// Streams and events of the program as queues and markers.
#pragma once

#include <memory>
#include <mutex>

#include "backends/softgpu/command.h"
#include "backends/softgpu/queue.h"
#include "runtime/objects.h"

namespace hipr::softgpu {

struct EventState {
  std::mutex mutex;
  std::shared_ptr<Marker> recorded;  // the last one; null when never recorded

  std::shared_ptr<Marker> last() {
    const std::lock_guard lock(mutex);
    return recorded;
  }
};

inline Queue& queueOf(Stream& stream) {
  return *static_cast<Queue*>(stream.impl);
}

}  // namespace hipr::softgpu
