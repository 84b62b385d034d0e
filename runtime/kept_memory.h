// KeptMemory: the blocks a memory pool keeps. Each was freed in the order of some stream, and waits to be used again or
// to be given back to the device. Not thread-safe: its pool's lock guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/core.h"
#include "runtime/objects.h"
#include "runtime/stream_order.h"

namespace hipr {

struct KeptBlock {
  Allocation allocation;
  StreamTick freed;                    // stream 0: no work can use it any more
  std::shared_ptr<StreamPoint> until;  // what its stream had been given then; null when that is done

  bool reached();
};

// What the pool's reuse attributes allow between streams.
struct ReuseRules {
  bool followEvents = true;
  bool opportunistic = true;
};

class KeptMemory {
 public:
  void add(KeptBlock block);
  // The smallest block of at least that size that work of `stream` may use from now on.
  std::optional<KeptBlock> take(std::size_t size, const Stream& stream, ReuseRules rules);
  // The smallest of at least that size, whoever may still use it.
  std::optional<KeptBlock> takeAny(std::size_t size);
  // Gives up blocks that no work can use any more, until no more than `hold` bytes are left.
  std::vector<KeptBlock> trim(std::uint64_t hold);
  std::vector<KeptBlock> takeAll();

  std::uint64_t bytes() const { return bytes_; }

 private:
  using Blocks = std::multimap<std::size_t, KeptBlock>;
  KeptBlock extract(Blocks::iterator block);

  Blocks blocks_;  // by size
  std::uint64_t bytes_ = 0;
};

}  // namespace hipr
