// FakeMemory: the memory of FakeHip. Where the CPU does not reach device memory, the pages at a device address cannot
// be touched and the bytes are elsewhere; only what plays the GPU asks where. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace hipr::worker {

class FakeMemory {
 public:
  FakeMemory(bool cpuReaches, bool forgiving) : cpuReaches_(cpuReaches), forgiving_(forgiving) {}
  ~FakeMemory();

  void* allocate(std::size_t size);                          // device memory
  bool free(void* address);                                  // false: there is none
  void* reserve(std::size_t size, void* hint, bool atHint);  // addresses; null: not to be had
  bool unreserve(void* address);
  bool map(void* address, std::size_t size);  // false: something is there already. REQUIRES: the addresses are reserved
  bool unmap(void* address);

  // Where the bytes of a device address are; other addresses are their own.
  void* bytesAt(const void* address) const;

  void pin(void* address, std::size_t size);
  void unpin(void* address);
  bool pageable(const void* address) const;  // host memory that is not pinned

 private:
  struct Block {
    std::size_t size = 0;
    void* bytes = nullptr;
  };
  // The block around `address`, or the end.
  template <class Blocks>
  static auto around(const Blocks& blocks, const void* address);
  void drop(void* address, const Block& block);
  void* find(const void* address) const;  // REQUIRES: mutex_ is held

  const bool cpuReaches_, forgiving_;
  mutable std::mutex mutex_;
  std::map<const void*, Block> allocated_, reserved_, pinned_;  // of pinned ones the bytes are not used
  std::map<const void*, std::size_t> mapped_;
};

}  // namespace hipr::worker
