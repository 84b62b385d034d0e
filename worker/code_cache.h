// CodeCache: code objects by content, for the next session of the same client. The folder of an identity is its own;
// nobody else's sessions read it or learn what is in it. A file is named by its digest, written once, never changed,
// and checked when it is read. Used by one thread.
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
#include "wire/messages.h"
#include "worker/quotas.h"

namespace hipr::worker {

class CodeCache {
 public:
  using Hash = wire::Bits256;
  using Code = std::shared_ptr<const std::vector<std::byte>>;

  // An empty folder name keeps code for this session only. `limitBytes`: of the identity, on disk.
  CodeCache(const std::string& folder, const std::string& identity, std::uint64_t limitBytes, Meter& meter);
  ~CodeCache();
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;

  std::vector<Hash> known();

  // Checks that the bytes have this hash, and keeps them in memory. kExhausted when they are too much.
  Status receive(const Hash& hash, wire::Bytes bytes, Code& out);
  // Keeps them for the next session too. REQUIRES: received, and a code object that makes sense
  void store(const Hash& hash);
  // kNotFound when it is not there; a damaged file is removed.
  Status load(const Hash& hash, Code& out);

 private:
  struct Entry {
    Code code;
    Meter::Share share;
  };

  std::string fileOf(const Hash& hash) const;
  Status remember(const Hash& hash, std::vector<std::byte> bytes, Code& out);
  bool reserve(std::uint64_t bytes);               // room on disk
  std::uint64_t removeOldest(std::uint64_t most);  // until the rest is that small; what the rest is
  bool write(const Hash& hash, const std::vector<std::byte>& bytes) const;

  const std::string folder_;  // of the identity; empty: none
  const std::uint64_t limit_;
  Meter& meter_;
  int lock_ = -1;  // the file with the locks, and how much there is
  std::set<Hash> told_;
  std::map<Hash, Entry> loaded_;
};

std::string defaultCacheFolder();  // empty when there is no home

}  // namespace hipr::worker
