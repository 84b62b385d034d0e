// PerDevice<T>: one pointer per visible device, belonging to the process that stored it: a forked child sees nothing of
// its parent's. get() takes no lock.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "runtime/process.h"

namespace hipr {

template <class T>
class PerDevice {
 public:
  T* get(const Process& p, const Device& device) const {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr || slots->owner != &p) return nullptr;
    return slots->items[device.ordinal].load(std::memory_order_acquire);
  }

  void set(const Process& p, const Device& device, T* value) {
    slotsFor(p).items[device.ordinal].store(value, std::memory_order_release);
  }

  // Serialises whoever fills the slots.
  std::mutex& mutexFor(const Process& p) { return slotsFor(p).mutex; }

 private:
  struct Slots {
    explicit Slots(const Process& p) : owner(&p), items(std::make_unique<std::atomic<T*>[]>(p.devices.size())) {}
    const Process* owner;
    std::mutex mutex;
    std::unique_ptr<std::atomic<T*>[]> items;
  };

  Slots& slotsFor(const Process& p) {
    Slots* slots = slots_.load(std::memory_order_acquire);
    while (slots == nullptr || slots->owner != &p) {
      auto fresh = std::make_unique<Slots>(p);
      // A parent's slots are left alone: freeing them would touch locks of threads this process does not have.
      if (slots_.compare_exchange_strong(slots, fresh.get())) slots = fresh.release();
    }
    return *slots;
  }

  std::atomic<Slots*> slots_{nullptr};
};

}  // namespace hipr
