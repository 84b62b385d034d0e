// HostMap: from an address in the program (a kernel's or a variable's stand-in on the host) to what is registered
// there. Every <<<>>> launch looks up here, so find() takes no lock: it probes a table that writers never move. A full
// table is replaced by a larger one; the old ones stay, since a reader may be inside (they sum up to less than the
// last). REQUIRES: writers are serialised by their caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hipr {

template <class T>
class HostMap {
 public:
  T* find(const void* key) const {
    const Table* table = table_.load(std::memory_order_acquire);
    if (table == nullptr || key == nullptr) return nullptr;
    for (std::size_t i = hash(key);; ++i) {
      const Entry& entry = table->entries[i & table->mask];
      const void* here = entry.key.load(std::memory_order_acquire);
      if (here == key) return entry.value.load(std::memory_order_acquire);
      if (here == nullptr) return nullptr;
    }
  }

  // Replaces what was there; a null value removes it.
  void set(const void* key, T* value) {
    Table* table = table_.load(std::memory_order_relaxed);
    if (table == nullptr || (table->used + 1) * 2 > table->mask) table = grow();
    put(*table, key, value);
  }

 private:
  struct Entry {
    std::atomic<const void*> key{nullptr};
    std::atomic<T*> value{nullptr};
  };
  struct Table {
    explicit Table(std::size_t size) : entries(std::make_unique<Entry[]>(size)), mask(size - 1) {}
    std::unique_ptr<Entry[]> entries;
    std::size_t mask;
    std::size_t used = 0;  // keys, including those whose value was removed
  };

  static std::size_t hash(const void* key) {
    return (reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15u) >> 32;
  }

  static void put(Table& table, const void* key, T* value) {
    for (std::size_t i = hash(key);; ++i) {
      Entry& entry = table.entries[i & table.mask];
      const void* here = entry.key.load(std::memory_order_relaxed);
      if (here != nullptr && here != key) continue;
      entry.value.store(value, std::memory_order_release);
      if (here == nullptr) {
        entry.key.store(key, std::memory_order_release);
        ++table.used;
      }
      return;
    }
  }

  Table* grow() {
    const Table* old = table_.load(std::memory_order_relaxed);
    auto bigger = std::make_unique<Table>(old == nullptr ? 256 : (old->mask + 1) * 2);
    for (std::size_t i = 0; old != nullptr && i <= old->mask; ++i)
      if (T* value = old->entries[i].value.load(std::memory_order_relaxed))
        put(*bigger, old->entries[i].key.load(std::memory_order_relaxed), value);
    tables_.push_back(std::move(bigger));
    table_.store(tables_.back().get(), std::memory_order_release);
    return tables_.back().get();
  }

  std::atomic<Table*> table_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace hipr
