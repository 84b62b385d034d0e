// Streams and events of the program as queues and markers.
#pragma once

#include <memory>
#include <mutex>

#include "backends/softgpu/command.h"
#include "backends/softgpu/queue.h"
#include "runtime/objects.h"

namespace hipr::softgpu {

struct EventState : CoreObject {
  std::mutex mutex;
  std::shared_ptr<Marker> recorded;  // the last one; null when never recorded

  std::shared_ptr<Marker> last() {
    const std::lock_guard lock(mutex);
    return recorded;
  }
};

// What a stream of the runtime is here. The queue stays with its device, because its work outlives the stream.
struct StreamObject : CoreObject {
  explicit StreamObject(Queue& ofStream) : queue(ofStream) {}
  Queue& queue;
};

inline Queue& queueOf(const Stream& stream) {
  return static_cast<StreamObject&>(*stream.impl).queue;
}

}  // namespace hipr::softgpu
