// CacheFolder: a folder of files that sessions of one identity share, each named by the digest of what it holds. A file
// is written once, under another name first, and never changed; so one with a digest for a name is always whole. How
// much there is stands in a file of its own, which also has the locks. Thread- and process-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "wire/stream.h"

namespace hipr::worker {

class CacheFolder {
 public:
  using Name = wire::Bits256;
  struct File {
    std::filesystem::path path;
    Name name;
    std::filesystem::file_time_type used;
    std::uint64_t cost;  // bytes of the disk
  };

  // What a file of so many bytes takes of the disk.
  static std::uint64_t costOf(std::uint64_t bytes);
  // The folder of this identity inside `folder`; empty when that is.
  static std::string ofIdentity(const std::string& folder, const std::string& identity);

  CacheFolder() = default;
  CacheFolder(std::string path, std::string suffix);  // makes the folder; an empty path: none
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  bool open() const { return lock_ >= 0; }
  const std::string& path() const { return path_; }
  std::string fileOf(const Name& name) const;
  std::vector<File> newestFirst() const;

  bool write(const Name& name, std::span<const std::byte> bytes) const;
  void used(const Name& name) const;  // just now
  void drop(const Name& name) const;  // it is damaged

  // Whether there is room for so much more within `limit`, which counts as taken then. Where there is not,
  // makeRoom(most) is to leave no more than `most`, and returns what it has left.
  bool reserve(std::uint64_t bytes, std::uint64_t limit,
               const std::function<std::uint64_t(std::uint64_t most)>& makeRoom);

  // Somebody uses what is in here (shared), or nobody else does (exclusive). False: not now.
  bool shareUse() const;
  bool useAlone() const;
  void removeDrafts(std::chrono::seconds older) const;  // than this: of sessions that were killed

 private:
  std::string path_, suffix_;
  int lock_ = -1;
  std::mutex counting_;  // locks of the file are the process's
};

}  // namespace hipr::worker
