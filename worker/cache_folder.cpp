#include "worker/cache_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>

#include "access/digest.h"

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDraft = ".draft-";
constexpr std::uint64_t kBlock = 4096;

// Bytes of the lock file: a session is using this cache (shared), and somebody is counting (exclusive, for a moment).
constexpr off_t kUse = 0, kCount = 1, kTotal = 8;

std::optional<CacheFolder::Name> parseName(const fs::path& file, const std::string& suffix) {
  const std::string text = file.stem();
  CacheFolder::Name name;
  if (file.extension() != suffix || text.size() != 2 * name.size() ||
      text.find_first_not_of("0123456789abcdef") != text.npos) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < name.size(); ++i)
    name[i] = static_cast<std::uint8_t>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return name;
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

std::uint64_t CacheFolder::costOf(std::uint64_t bytes) {
  return (bytes + kBlock - 1) / kBlock * kBlock + kBlock;
}

std::string CacheFolder::ofIdentity(const std::string& folder, const std::string& identity) {
  if (folder.empty()) return "";
  return folder + "/" + access::hexOf(access::digestOf(std::as_bytes(std::span(identity))));
}

CacheFolder::CacheFolder(std::string path, std::string suffix) : path_(std::move(path)), suffix_(std::move(suffix)) {
  if (path_.empty()) return;
  std::error_code error;
  // Sessions may be users of one group (session_homes.h): what they share is the group's, and nobody else's.
  fs::create_directories(path_, error);
  fs::permissions(path_, fs::perms::others_all, fs::perm_options::remove, error);
  fs::permissions(path_, fs::perms::owner_all | fs::perms::group_all, fs::perm_options::add, error);
  lock_ = openShared(path_ + "/.lock", O_RDWR);
}

CacheFolder::~CacheFolder() {
  if (lock_ >= 0) close(lock_);
}

std::string CacheFolder::fileOf(const Name& name) const {
  return path_ + "/" + access::hexOf(name) + suffix_;
}

std::vector<CacheFolder::File> CacheFolder::newestFirst() const {
  std::vector<File> files;
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    const auto name = parseName(it->path(), suffix_);
    std::error_code gone;
    if (name) files.push_back({it->path(), *name, it->last_write_time(gone), costOf(it->file_size(gone))});
    if (gone) files.pop_back();
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used > b.used; });
  return files;
}

void CacheFolder::used(const Name& name) const {
  std::error_code ignored;
  fs::last_write_time(fileOf(name), fs::file_time_type::clock::now(), ignored);
}

void CacheFolder::drop(const Name& name) const {
  std::error_code ignored;
  fs::remove(fileOf(name), ignored);
}

bool CacheFolder::shareUse() const {
  return lockSoon(lock_, kUse, F_RDLCK);
}

bool CacheFolder::useAlone() const {
  return lockByte(lock_, kUse, F_WRLCK);
}

void CacheFolder::removeDrafts(std::chrono::seconds older) const {
  const auto latest = fs::file_time_type::clock::now() - older;
  std::error_code ignored, gone;
  for (fs::directory_iterator it(path_, ignored), end; !ignored && it != end; it.increment(ignored)) {
    if (!it->path().filename().string().starts_with(kDraft)) continue;
    if (it->last_write_time(gone) <= latest && !gone) fs::remove(it->path(), gone);
  }
}

bool CacheFolder::reserve(std::uint64_t bytes, std::uint64_t limit,
                          const std::function<std::uint64_t(std::uint64_t most)>& makeRoom) {
  const std::lock_guard counting(counting_);
  if (bytes > limit || !lockSoon(lock_, kCount, F_WRLCK)) return false;
  std::uint64_t total = 0;
  if (pread(lock_, &total, sizeof total, kTotal) != sizeof total) total = UINT64_MAX;  // nobody has counted yet
  if (total > limit - bytes) total = makeRoom(limit - bytes);
  const bool room = total <= limit - bytes;
  if (room) total += bytes;
  const bool noted = pwrite(lock_, &total, sizeof total, kTotal) == sizeof total;
  lockByte(lock_, kCount, F_UNLCK);
  return room && noted;
}

bool CacheFolder::write(const Name& name, std::span<const std::byte> bytes) const {
  static std::atomic<unsigned> serial{0};
  const std::string draft = path_ + "/" + kDraft + std::to_string(getpid()) + "-" + std::to_string(serial++);
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
      (renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, fileOf(name).c_str(), RENAME_NOREPLACE) == 0 || errno == EEXIST);
  fs::remove(draft, ignored);
  return named;
}

}  // namespace hipr::worker
