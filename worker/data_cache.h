// DataCache: what clients have uploaded, in blocks, for the next time: a client that names a block which is here need
// not send it. The folder of an identity is its own, so nobody learns what others have uploaded (cache_folder.h). A
// name is made here, of the bytes as they came, and a block is checked whenever it is read: one that was damaged goes,
// and the client sends it again. Those used longest ago make room for new ones. Thread-safe.
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
