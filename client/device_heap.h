// DeviceHeap: hands out addresses of one device's memory without asking the worker.
//
// It owns a slice of the address range that client and worker both reserved. Large blocks get a mapping of their own;
// small ones share 32 MiB mappings. A freed block rests until the work that could still touch it has finished, since
// nobody waited for that work when it was freed. Mappings that nobody uses any more are kept for the next block of
// their size, up to a limit, so that allocating and freeing in turn sends nothing. Memory is bounded by the credit the
// worker granted, so running out is known here and now; then, before anything else, the kept mappings go. The worker
// unmaps when all work sent before is done, and counts the memory until then; so does this.
//
// Thread-safe. The lock is never held while the worker is asked or waited for. Every operation takes time logarithmic
// in the number of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "client/free_ranges.h"
#include "client/streams.h"

namespace hipr::client {

class DeviceHeap {
 public:
  struct Calls {
    std::function<void(std::uint64_t address, std::uint64_t size)> map;  // posted
    std::function<void(std::uint64_t address)> unmap;                    // posted
    // Waits; what was granted: nothing, or from `bytes` to `most`.
    std::function<std::uint64_t(std::uint64_t bytes, std::uint64_t most)> askCredit;
    std::function<Moment()> now;
    std::function<void(const Moment&)> waitFor;
  };

  DeviceHeap(std::uint64_t base, std::uint64_t size, std::uint64_t granularity, std::uint64_t credit, Calls calls);

  std::uint64_t allocate(std::size_t size);  // 0 when out of memory
  void release(std::uint64_t address);       // REQUIRES: from allocate, not yet released
  void loseCredit(std::uint64_t bytes);      // the worker has taken back what was not used
  std::uint64_t mappedFree();                // bytes mapped but not handed out

  // Memory that is made some other way counts too. False when there is not that much.
  bool takeCredit(std::uint64_t bytes);
  void giveCredit(std::uint64_t bytes);  // after the worker was told that it is not needed

 private:
  using IdleOwn = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;  // size, since → address
  struct Mapping {
    std::uint64_t size;
    bool shared;
    std::list<std::uint64_t>::iterator place;  // in idle_ while nothing of it is used, else in busy_
    std::uint64_t usedBytes = 0;
    std::uint64_t idleSince = 0;
    IdleOwn::node_type own{};  // its place in idleOwn_, kept for the next time
  };
  using MappingAt = std::map<std::uint64_t, Mapping>::iterator;
  struct Resting {
    Moment until;
    std::uint64_t address, size;
  };
  struct Owed {
    Moment until;
    std::uint64_t bytes;
  };

  std::uint64_t ask(std::unique_lock<std::mutex>& lock, std::uint64_t least, std::uint64_t most);  // unlocked meanwhile
  std::uint64_t allocateAtOnce(std::uint64_t rounded);
  std::uint64_t obtain(std::uint64_t size, std::uint64_t mappingSize, std::uint64_t leastSize);
  bool takeCreditAtOnce(std::uint64_t bytes);
  bool waitForWork();  // false: nothing will come back by that
  std::uint64_t fromMapped(std::uint64_t size);
  bool addMapping(std::uint64_t size, bool shared);  // false without credit or addresses
  std::uint64_t takeAddresses(std::uint64_t size);
  void drop(MappingAt mapping);  // REQUIRES: it is idle
  MappingAt mappingOf(std::uint64_t address) { return std::prev(mappings_.upper_bound(address)); }
  void markIdle(MappingAt at);
  void markUsed(Mapping& mapping);
  void makeRoom(std::uint64_t size);  // drops what is idle until there will be credit for so much
  void owe(std::uint64_t bytes);
  void reclaim(MappingAt at, std::uint64_t address, std::uint64_t size);
  void reclaimFinished();
  std::uint64_t idleLimit() const;

  std::mutex mutex_;
  const std::uint64_t granularity_;
  std::uint64_t credit_;  // not yet mapped
  Calls calls_;
  FreeRanges addresses_;  // unmapped
  // The last to be unmapped, oldest first. The worker may not be done with them, and would have to wait for work that
  // has nothing to do with it before something else can be mapped there.
  std::deque<std::pair<std::uint64_t, std::uint64_t>> vacated_;  // address, size
  FreeRanges pieces_;                                            // of shared mappings, free
  std::map<std::uint64_t, Mapping> mappings_;
  std::unordered_map<std::uint64_t, std::uint64_t> live_;  // handed out of shared mappings: address → rounded size
  std::uint64_t mappedBytes_ = 0, liveBytes_ = 0;
  // In the order they were freed in. What one waits for, the next waits for too, so the first is always over first.
  std::deque<Resting> resting_;
  std::deque<Owed> owed_;  // credit that comes back when the worker has unmapped; in the same order
  std::uint64_t owedBytes_ = 0;
  // Mappings of which nothing is used, oldest first; those for one block also by size. And the others. Moving one from
  // list to list takes no memory: programs allocate and free in turn.
  std::list<std::uint64_t> idle_, busy_;
  IdleOwn idleOwn_;
  std::uint64_t idleBytes_ = 0, clock_ = 0;
};

// A map of free ranges: begin → size. Merges with its neighbours.
void insertFree(std::map<std::uint64_t, std::uint64_t>& free, std::uint64_t begin, std::uint64_t size);

}  // namespace hipr::client
