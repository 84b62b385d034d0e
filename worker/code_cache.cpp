#include "worker/code_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "access/digest.h"
#include "base/env.h"
#include "base/log.h"
#include "wire/frame.h"

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxKnown = 4096;  // names sent in the first exchange
constexpr const char *kSuffix = ".co", *kDraft = ".draft-";
constexpr std::uint64_t kBlock = 4096;

// Bytes of the lock file: a session is using this cache (shared), and somebody is counting (exclusive, for a moment).
constexpr off_t kUse = 0, kCount = 1, kTotal = 8;

std::uint64_t costOf(std::uint64_t bytes) {
  return (bytes + kBlock - 1) / kBlock * kBlock + kBlock;
}

std::optional<CodeCache::Hash> parseName(const fs::path& file) {
  const std::string name = file.stem();
  CodeCache::Hash hash;
  if (file.extension() != kSuffix || name.size() != 2 * hash.size() ||
      name.find_first_not_of("0123456789abcdef") != name.npos) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < hash.size(); ++i)
    hash[i] = static_cast<std::uint8_t>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
  return hash;
}

struct File {
  fs::path path;
  CodeCache::Hash hash;
  fs::file_time_type used;
  std::uintmax_t size;
};

std::vector<File> newestFirst(const std::string& folder) {
  std::vector<File> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const auto hash = parseName(it->path());
    std::error_code gone;
    if (hash) files.push_back({it->path(), *hash, it->last_write_time(gone), it->file_size(gone)});
    if (gone) files.pop_back();
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used > b.used; });
  return files;
}

// Of the open file, not of the process: changing a shared lock into an exclusive one happens in one step, or not.
bool lockByte(int file, off_t byte, short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

// Never waits long: whoever has it may be another client's session that means harm.
bool lockSoon(int file, off_t byte, short type) {
  for (int i = 0; i < 20; ++i) {
    if (lockByte(file, byte, type)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

int openShared(const std::string& name, int flags) {
  const int file = open(name.c_str(), flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0660);
  if (file >= 0) (void)!fchmod(file, 0660);  // whatever the umask says; it may be another session's already
  return file;
}

}  // namespace

std::string defaultCacheFolder() {
  if (const auto base = envText("XDG_CACHE_HOME")) return *base + "/hip-remote";
  if (const auto home = envText("HOME")) return *home + "/.cache/hip-remote";
  return "";
}

CodeCache::CodeCache(const std::string& folder, const std::string& identity, std::uint64_t limitBytes, Meter& meter)
    : folder_(folder.empty() ? "" : folder + "/" + access::hexOf(access::digestOf(std::as_bytes(std::span(identity))))),
      limit_(limitBytes),
      meter_(meter) {
  if (folder_.empty()) return;
  std::error_code error;
  // Sessions may be users of one group (session_homes.h): what they share is the group's, and nobody else's.
  fs::create_directories(folder_, error);
  fs::permissions(folder_, fs::perms::others_all, fs::perm_options::remove, error);
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_all, fs::perm_options::add, error);
  lock_ = openShared(folder_ + "/.lock", O_RDWR);
  if (lock_ >= 0 && lockSoon(lock_, kUse, F_RDLCK)) return;
  static LogOnce once;
  once.error("cannot use %s; clients will send their code each time", folder_.c_str());
  if (lock_ >= 0) close(lock_);
  lock_ = -1;
}

CodeCache::~CodeCache() {
  if (lock_ >= 0) close(lock_);
}

std::string CodeCache::fileOf(const Hash& hash) const {
  return folder_ + "/" + access::hexOf(hash) + kSuffix;
}

std::vector<CodeCache::Hash> CodeCache::known() {
  std::vector<Hash> out;
  if (lock_ < 0) return out;
  for (const File& file : newestFirst(folder_)) {
    if (out.size() == kMaxKnown) break;
    out.push_back(file.hash);
  }
  told_.insert(out.begin(), out.end());
  return out;
}

Status CodeCache::remember(const Hash& hash, std::vector<std::byte> bytes, Code& out) {
  Meter::Share share = meter_.take(Quota::kCodeBytes, bytes.size());
  if (!share) return Status::exhausted("more code than a client may have (hip-worker --limit code-memory)");
  out = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  loaded_[hash] = {out, std::move(share)};
  return {};
}

Status CodeCache::receive(const Hash& hash, wire::Bytes bytes, Code& out) {
  if (access::digestOf(bytes) != hash) return Status::invalid("a code object that does not have the hash it came with");
  if (const auto found = loaded_.find(hash); found != loaded_.end()) {
    out = found->second.code;
    return {};
  }
  return remember(hash, {bytes.begin(), bytes.end()}, out);
}

Status CodeCache::load(const Hash& hash, Code& out) {
  if (const auto found = loaded_.find(hash); found != loaded_.end()) {
    out = found->second.code;
    return {};
  }
  const std::string name = lock_ < 0 ? "" : fileOf(hash);
  std::ifstream stream(name, std::ios::binary | std::ios::ate);
  if (!stream) return Status::notFound("no code object " + access::hexOf(hash) + " here");
  const auto size = static_cast<std::uint64_t>(stream.tellg());
  std::vector<std::byte> bytes(size <= wire::kMaxPayload ? size : 0);
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::error_code ignored;
  if (!stream || access::digestOf(bytes) != hash) {
    fs::remove(name, ignored);
    return Status::notFound("code object " + access::hexOf(hash) + " was damaged on disk and has been removed");
  }
  fs::last_write_time(name, fs::file_time_type::clock::now(), ignored);  // "used", for removeOldest()
  return remember(hash, std::move(bytes), out);
}

void CodeCache::store(const Hash& hash) {
  const auto found = loaded_.find(hash);
  if (lock_ < 0 || found == loaded_.end()) return;
  const std::vector<std::byte>& bytes = *found->second.code;
  std::error_code ignored;
  if (fs::exists(fileOf(hash), ignored) || !reserve(costOf(bytes.size())) || write(hash, bytes)) return;
  static LogOnce once;
  once.error("cannot keep code objects in %s; clients will send them each time", folder_.c_str());
}

bool CodeCache::reserve(std::uint64_t bytes) {
  if (bytes > limit_ || !lockSoon(lock_, kCount, F_WRLCK)) return false;
  std::uint64_t total = 0;
  if (pread(lock_, &total, sizeof total, kTotal) != sizeof total) total = UINT64_MAX;  // nobody has counted yet
  if (total > limit_ - bytes) total = removeOldest(limit_ - bytes);
  const bool room = total <= limit_ - bytes;
  if (room) total += bytes;
  const bool noted = pwrite(lock_, &total, sizeof total, kTotal) == sizeof total;
  lockByte(lock_, kCount, F_UNLCK);
  return room && noted;
}

std::uint64_t CodeCache::removeOldest(std::uint64_t most) {
  const bool alone = lockByte(lock_, kUse, F_WRLCK);
  std::error_code ignored;
  if (alone) {  // drafts of sessions that were killed
    for (fs::directory_iterator it(folder_, ignored), end; !ignored && it != end; it.increment(ignored))
      if (it->path().filename().string().starts_with(kDraft)) fs::remove(it->path(), ignored);
  }
  std::uint64_t total = 0;
  for (const File& file : newestFirst(folder_)) {
    const std::uint64_t cost = costOf(file.size);
    const bool leaves = alone && total + cost > most && !told_.contains(file.hash) && !loaded_.contains(file.hash) &&
                        fs::remove(file.path, ignored);
    if (!leaves) total += cost;
  }
  if (alone) lockByte(lock_, kUse, F_RDLCK);
  return total;
}

// Under another name first: a file with a hash for a name is always whole, and is never written again.
bool CodeCache::write(const Hash& hash, const std::vector<std::byte>& bytes) const {
  const std::string draft = folder_ + "/" + kDraft + std::to_string(getpid());
  std::error_code ignored;
  fs::remove(draft, ignored);
  const int file = openShared(draft, O_WRONLY | O_EXCL);
  if (file < 0) return false;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  close(file);
  const bool whole = done == bytes.size();
  const bool named =
      whole &&
      (renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, fileOf(hash).c_str(), RENAME_NOREPLACE) == 0 || errno == EEXIST);
  fs::remove(draft, ignored);
  return named;
}

}  // namespace hipr::worker
