// SpareEvents: events that the program has destroyed and the worker still has. Many programs make an event, record it
// once and destroy it; the next event of the same kind takes over such a one, so that neither making nor destroying it
// sends a message. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/objects.h"

namespace hipr::client {

class SpareEvents {
 public:
  // What an event of this kind was here; null when there is none.
  std::unique_ptr<CoreObject> take(int device, unsigned flags) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = spares_.size(); i-- > 0;) {
      if (spares_[i].device != device || spares_[i].flags != flags) continue;
      std::swap(spares_[i], spares_.back());
      std::unique_ptr<CoreObject> object = std::move(spares_.back().object);
      spares_.pop_back();
      return object;
    }
    return nullptr;
  }
  // False when there are enough; then the object stays where it is. REQUIRES: it does not know of any record.
  bool keep(int device, unsigned flags, std::unique_ptr<CoreObject>& object) {
    const std::lock_guard lock(mutex_);
    if (spares_.size() >= kMost) return false;
    spares_.push_back({device, flags, std::move(object)});
    return true;
  }
  std::vector<std::unique_ptr<CoreObject>> takeAll() {
    const std::lock_guard lock(mutex_);
    std::vector<std::unique_ptr<CoreObject>> all;
    for (Spare& spare : spares_) all.push_back(std::move(spare.object));
    spares_.clear();
    return all;
  }
  void forget(int device) {  // the worker has ended those of this device
    const std::lock_guard lock(mutex_);
    std::erase_if(spares_, [&](const Spare& spare) { return spare.device == device; });
  }

 private:
  static constexpr std::size_t kMost = 32;  // few enough to look through

  struct Spare {
    int device;
    unsigned flags;
    std::unique_ptr<CoreObject> object;
  };
  std::mutex mutex_;
  std::vector<Spare> spares_;
};

}  // namespace hipr::client
