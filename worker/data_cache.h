// DataCache: blocks that clients have uploaded, kept for the next time: a client that names such a block need not send
// it. The folder of an identity is its own, so nobody learns what others have uploaded (cache_folder.h). The worker
// makes a block's name itself, from the bytes as they came, and checks a block whenever it is read; a damaged block is
// removed, and the client sends it again. Blocks used longest ago make room for new ones. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "worker/cache_folder.h"

namespace hipr::worker {

class DataCache {
 public:
  using Name = CacheFolder::Name;

  // An empty folder, or no bytes: it keeps nothing. `limitBytes`: of the identity, on disk.
  DataCache(const std::string& folder, const std::string& identity, std::uint64_t limitBytes);

  bool keeps() const { return folder_.open(); }
  void store(std::span<const std::byte> bytes);
  // Fills `out` with the block of this name and this size. False when it is not here.
  bool load(const Name& name, std::span<std::byte> out);

 private:
  std::uint64_t removeOldest(std::uint64_t most);
  bool leavesRoom() const;  // on the disk, for others

  CacheFolder folder_;
  const std::uint64_t limit_;
};

}  // namespace hipr::worker
