// HandlePool: the objects behind hipStream_t, hipEvent_t, hipModule_t, hipFunction_t and hipLibrary_t. A handle is the
// address of its object inside one address range that is never given back, so any value a program passes, stale or
// garbage, is judged without touching foreign memory and without a lock: inside the range, on a slot boundary, alive.
//
// Slots are reused oldest first and only when many are free, so a stale handle stays dead for a long time. An object is
// destroyed when its slot is reused, not before: a thread still holding it reads stale data, never freed memory.
// Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>

#include "platform/memory.h"

namespace hipr {

template <class T>
class HandlePool {
 public:
  explicit HandlePool(std::size_t capacity) : capacity_(capacity) {}
  HandlePool(const HandlePool&) = delete;
  HandlePool& operator=(const HandlePool&) = delete;

  // Null when the pool is exhausted.
  T* create() {
    Slot* slot = nullptr;
    {
      std::lock_guard lock(mutex_);
      slot = nextSlot();
    }
    if (slot == nullptr) return nullptr;
    T* object = slot->object();
    if (slot->tag.load(std::memory_order_relaxed) == kDead) std::destroy_at(object);
    new (object) T();
    slot->tag.store(kAlive, std::memory_order_release);
    return object;
  }

  // The live object of a handle, or null.
  T* find(const void* handle) const {
    const auto base = base_.load(std::memory_order_acquire);
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(handle) - base - kObjectOffset;
    if (base == 0 || offset >= usable_.load(std::memory_order_acquire) || (offset & (kStride - 1)) != 0) return nullptr;
    Slot* slot = reinterpret_cast<Slot*>(base + offset);
    return slot->tag.load(std::memory_order_acquire) == kAlive ? slot->object() : nullptr;
  }

  // Ends a handle: null when it is not alive, else its object for one caller only, who releases what belongs to it and
  // then calls recycle().
  T* take(const void* handle) {
    T* object = find(handle);
    if (object == nullptr) return nullptr;
    std::uint32_t expected = kAlive;
    return slotOf(object)->tag.compare_exchange_strong(expected, kDead) ? object : nullptr;
  }

  void recycle(T* object) {
    std::lock_guard lock(mutex_);
    free_.push_back(slotOf(object));
  }

  // Calls f(T*) for every object alive at the time.
  template <class F>
  void forEach(F&& f) const {
    std::size_t used;
    {
      std::lock_guard lock(mutex_);
      used = used_;
    }
    const auto base = base_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < used; ++i)
      if (T* object = find(reinterpret_cast<void*>(base + i * kStride + kObjectOffset))) f(object);
  }

 private:
  static constexpr std::uint32_t kAlive = 0x48495021, kDead = 0x64656164;  // 0: never used
  static constexpr std::size_t kReuseAfter = 1024;                         // slots free before one is reused
  static constexpr std::size_t kStep = 1 << 20;  // bytes that become memory in one go: whole slots and whole pages

  struct Slot {
    std::atomic<std::uint32_t> tag;
    alignas(T) std::byte storage[sizeof(T)];
    T* object() { return std::launder(reinterpret_cast<T*>(storage)); }
  };
  static constexpr std::size_t kStride = std::bit_ceil(sizeof(Slot));
  static_assert(kStep % kStride == 0);
  static constexpr std::size_t kObjectOffset =
      (sizeof(std::atomic<std::uint32_t>) + alignof(T) - 1) & ~(alignof(T) - 1);

  static Slot* slotOf(T* object) {
    return reinterpret_cast<Slot*>(reinterpret_cast<std::uintptr_t>(object) - kObjectOffset);
  }

  // REQUIRES: mutex_ is held.
  Slot* nextSlot() {
    if (base_.load(std::memory_order_relaxed) == 0) {
      void* range = platform::reserve(capacity_ * kStride);  // never released
      if (range == nullptr) return nullptr;
      base_.store(reinterpret_cast<std::uintptr_t>(range), std::memory_order_release);
    }
    if (free_.size() > kReuseAfter || (used_ == capacity_ && !free_.empty())) {
      Slot* slot = free_.front();
      free_.pop_front();
      return slot;
    }
    if (used_ == capacity_ || !makeUsable((used_ + 1) * kStride)) return nullptr;
    return reinterpret_cast<Slot*>(base_.load(std::memory_order_relaxed) + used_++ * kStride);
  }

  // REQUIRES: mutex_ is held.
  bool makeUsable(std::size_t bytes) {
    const std::size_t usable = usable_.load(std::memory_order_relaxed);
    if (bytes <= usable) return true;
    const std::size_t more = std::min(kStep, capacity_ * kStride - usable);
    const auto base = base_.load(std::memory_order_relaxed);
    if (!platform::commit(reinterpret_cast<void*>(base + usable), platform::roundToPage(more))) return false;
    usable_.store(usable + more, std::memory_order_release);
    return true;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::atomic<std::uintptr_t> base_{0};
  std::atomic<std::size_t> usable_{0};  // bytes from there that are memory
  std::size_t used_ = 0;
  std::deque<Slot*> free_;
};

}  // namespace hipr
