// CodeCache: code objects by content hash, in a folder that all sessions share and that outlives them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "wire/stream.h"

namespace hipr::worker {

class CodeCache {
 public:
  using Hash = std::array<std::uint64_t, 2>;
  using Code = std::shared_ptr<const std::vector<std::byte>>;

  // An empty folder name keeps code for this session only.
  explicit CodeCache(std::string folder) : folder_(std::move(folder)) {}

  // Removes the files used longest ago until the rest is small enough. For the supervisor, at start.
  void trim(std::uint64_t limitBytes) const;

  std::vector<Hash> known() const;

  // Checks that the bytes have this hash, keeps them, and gives them back.
  Status store(const Hash& hash, wire::Bytes bytes, Code& out);
  // kNotFound when it is not there; a damaged file is removed.
  Status load(const Hash& hash, Code& out);

 private:
  std::string fileOf(const Hash& hash) const;

  const std::string folder_;
  std::map<Hash, Code> loaded_;
};

std::string defaultCacheFolder();  // empty when there is no home

}  // namespace hipr::worker
