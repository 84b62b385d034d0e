#include "worker/data_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "access/digest.h"
#include "base/log.h"

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kForgotten(1);  // a draft that nobody is writing any more
constexpr std::uint64_t kLessEachTime = 16;  // of the limit: room is made for more than one block
// Of the disk, for others: a twentieth, but of a large one no more than this.
constexpr std::uint64_t kPartForOthers = 20, kMostForOthers = std::uint64_t{4} << 30;

struct Opened {
  explicit Opened(const std::string& name) : fd(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
  ~Opened() {
    if (fd >= 0) close(fd);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  const int fd;
};

// Whatever lies there under that name: another session may have been made to put it there.
bool readFile(int file, std::span<std::byte> out) {
  struct stat info{};
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || static_cast<std::uint64_t>(info.st_size) != out.size())
    return false;
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = pread(file, out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// Whether the file has these bytes. One that was damaged makes room.
bool holds(const CacheFolder& folder, const DataCache::Name& name, std::span<const std::byte> bytes) {
  const Opened file(folder.fileOf(name));
  if (file.fd < 0) return false;
  std::vector<std::byte> there(bytes.size());
  const bool same = readFile(file.fd, there) && std::equal(there.begin(), there.end(), bytes.begin());
  if (!same) folder.drop(name);
  return same;
}

std::string folderFor(const std::string& folder, const std::string& identity, std::uint64_t limit) {
  return folder.empty() || limit == 0 ? "" : CacheFolder::ofIdentity(folder, identity) + "/data";
}

}  // namespace

DataCache::DataCache(const std::string& folder, const std::string& identity, std::uint64_t limitBytes)
    : folder_(folderFor(folder, identity, limitBytes), ".block"), limit_(limitBytes) {
  if (keeps() || folder_.path().empty()) return;
  static LogOnce once;
  once.error("cannot use %s; clients will send their data each time", folder_.path().c_str());
}

bool DataCache::load(const Name& name, std::span<std::byte> out) {
  if (!keeps()) return false;
  const Opened file(folder_.fileOf(name));
  if (file.fd < 0) return false;
  if (!readFile(file.fd, out) || access::digestOf(out) != name) {
    folder_.drop(name);
    return false;
  }
  folder_.used(name);
  return true;
}

bool DataCache::leavesRoom() const {
  std::error_code error;
  const fs::space_info disk = fs::space(folder_.path(), error);
  return !error && disk.available > std::min<std::uint64_t>(disk.capacity / kPartForOthers, kMostForOthers);
}

void DataCache::store(std::span<const std::byte> bytes) {
  if (!keeps()) return;
  const Name name = access::digestOf(bytes);
  if (holds(folder_, name, bytes)) return folder_.used(name);
  const auto makeRoom = [this](std::uint64_t most) {
    return removeOldest(most - std::min(most, limit_ / kLessEachTime));
  };
  if (!leavesRoom()) {
    static LogOnce full;
    return full.error("the disk of %s is nearly full; clients will send their data each time", folder_.path().c_str());
  }
  if (!folder_.reserve(CacheFolder::costOf(bytes.size()), limit_, makeRoom)) return;
  if (folder_.write(name, bytes)) return;
  static LogOnce once;
  once.error("cannot keep data in %s; clients will send it each time", folder_.path().c_str());
}

std::uint64_t DataCache::removeOldest(std::uint64_t most) {
  folder_.removeDrafts(kForgotten);
  std::error_code ignored;
  std::uint64_t total = 0;
  for (const CacheFolder::File& file : folder_.newestFirst()) {
    const bool leaves = total + file.cost > most && fs::remove(file.path, ignored);
    if (!leaves) total += file.cost;
  }
  return total;
}

}  // namespace hipr::worker
