// CodeCache: code objects by content, for the next session of the same client. The folder of an identity is its own;
// nobody else's sessions read it or learn what is in it (cache_folder.h). A file is checked when it is read. Used by
// one thread.
//
// What a session has been told of (known()) stays until it ends: every session that has a cache holds a lock, and files
// are removed only by somebody who can have that lock alone. Where there is no room and nothing can be removed, code is
// not stored; the next client sends it again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "net/packing.h"
#include "wire/messages.h"
#include "worker/cache_folder.h"
#include "worker/quotas.h"

namespace hipr::worker {

class CodeCache {
 public:
  using Hash = wire::Bits256;
  using Code = std::shared_ptr<const std::vector<std::byte>>;

  // An empty folder name keeps code for this session only. `limitBytes`: of the identity, on disk.
  CodeCache(const std::string& folder, const std::string& identity, std::uint64_t limitBytes, Meter& meter);

  std::vector<Hash> known();

  // Checks that the bytes have this hash, and keeps them in memory. kExhausted when they are too much.
  Status receive(const Hash& hash, wire::Bytes bytes, Code& out);
  // The same of code that was packed for its way. kInvalid when that is not what it says.
  Status unpack(const wire::PackedCode& packed);
  // Keeps them for the next session too. REQUIRES: received, and a code object that makes sense
  void store(const Hash& hash);
  // kNotFound when it is not there; a damaged file is removed.
  Status load(const Hash& hash, Code& out);

 private:
  struct Entry {
    Code code;
    Meter::Share share;
  };

  Status remember(const Hash& hash, std::vector<std::byte> bytes, Code& out);
  std::uint64_t removeOldest(std::uint64_t most);  // until the rest is that small; what the rest is

  CacheFolder folder_;
  const bool keeps_;  // in the folder, for the next session
  const std::uint64_t limit_;
  Meter& meter_;
  net::Unpacker unpacker_;
  std::set<Hash> told_;
  std::map<Hash, Entry> loaded_;
};

std::string defaultCacheFolder();  // empty when there is no home

}  // namespace hipr::worker
