#include "worker/code_cache.h"

#include <fstream>

#include "access/digest.h"
#include "base/env.h"
#include "base/log.h"
#include "wire/frame.h"

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxKnown = 4096;  // names sent in the first exchange
constexpr const char* kTooMuch = "more code than a client may have (hip-worker --limit code-memory)";
constexpr const char* kOtherHash = "a code object that does not have the hash it came with";

}  // namespace

std::string defaultCacheFolder() {
  if (const auto base = envText("XDG_CACHE_HOME")) return *base + "/hip-remote";
  if (const auto home = envText("HOME")) return *home + "/.cache/hip-remote";
  return "";
}

CodeCache::CodeCache(const std::string& folder, const std::string& identity, std::uint64_t limitBytes, Meter& meter)
    : folder_(CacheFolder::ofIdentity(folder, identity), ".co"),
      keeps_(folder_.open() && folder_.shareUse()),
      limit_(limitBytes),
      meter_(meter) {
  if (keeps_ || folder.empty()) return;
  static LogOnce once;
  once.error("cannot use %s; clients will send their code each time", folder_.path().c_str());
}

std::vector<CodeCache::Hash> CodeCache::known() {
  std::vector<Hash> out;
  if (!keeps_) return out;
  for (const CacheFolder::File& file : folder_.newestFirst()) {
    if (out.size() == kMaxKnown) break;
    out.push_back(file.name);
  }
  told_.insert(out.begin(), out.end());
  return out;
}

Status CodeCache::remember(const Hash& hash, std::vector<std::byte> bytes, Code& out) {
  Meter::Share share = meter_.take(Quota::kCodeBytes, bytes.size());
  if (!share) return Status::exhausted(kTooMuch);
  out = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  loaded_[hash] = {out, std::move(share)};
  return {};
}

Status CodeCache::receive(const Hash& hash, wire::Bytes bytes, Code& out) {
  if (access::digestOf(bytes) != hash) return Status::invalid(kOtherHash);
  if (const auto found = loaded_.find(hash); found != loaded_.end()) {
    out = found->second.code;
    return {};
  }
  return remember(hash, {bytes.begin(), bytes.end()}, out);
}

Status CodeCache::unpack(const wire::PackedCode& packed) {
  if (packed.packed.size() >= packed.size || packed.size > wire::kMaxPayload)
    return Status::invalid("packed code that is no smaller than it was, or too large");
  // Before memory is taken for what a few bytes may claim to be.
  if (Meter::Share room = meter_.take(Quota::kCodeBytes, packed.size); !room) return Status::exhausted(kTooMuch);
  std::vector<std::byte> bytes(packed.size);
  if (!unpacker_.unpack(packed.packed, bytes)) return Status::invalid("packed code that is not what it says");
  if (access::digestOf(bytes) != packed.hash) return Status::invalid(kOtherHash);
  Code code;
  return loaded_.contains(packed.hash) ? Status{} : remember(packed.hash, std::move(bytes), code);
}

Status CodeCache::load(const Hash& hash, Code& out) {
  if (const auto found = loaded_.find(hash); found != loaded_.end()) {
    out = found->second.code;
    return {};
  }
  std::ifstream stream(keeps_ ? folder_.fileOf(hash) : "", std::ios::binary | std::ios::ate);
  if (!stream) return Status::notFound("no code object " + access::hexOf(hash) + " here");
  const auto size = static_cast<std::uint64_t>(stream.tellg());
  std::vector<std::byte> bytes(size <= wire::kMaxPayload ? size : 0);
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream || access::digestOf(bytes) != hash) {
    folder_.drop(hash);
    return Status::notFound("code object " + access::hexOf(hash) + " was damaged on disk and has been removed");
  }
  folder_.used(hash);
  return remember(hash, std::move(bytes), out);
}

void CodeCache::store(const Hash& hash) {
  const auto found = loaded_.find(hash);
  if (!keeps_ || found == loaded_.end()) return;
  const std::vector<std::byte>& bytes = *found->second.code;
  std::error_code ignored;
  if (fs::exists(folder_.fileOf(hash), ignored)) return;
  const auto makeRoom = [this](std::uint64_t most) { return removeOldest(most); };
  if (!folder_.reserve(CacheFolder::costOf(bytes.size()), limit_, makeRoom) || folder_.write(hash, bytes)) return;
  static LogOnce once;
  once.error("cannot keep code objects in %s; clients will send them each time", folder_.path().c_str());
}

std::uint64_t CodeCache::removeOldest(std::uint64_t most) {
  const bool alone = folder_.useAlone();
  if (alone) folder_.removeDrafts(std::chrono::seconds(0));
  std::error_code ignored;
  std::uint64_t total = 0;
  for (const CacheFolder::File& file : folder_.newestFirst()) {
    const bool leaves = alone && total + file.cost > most && !told_.contains(file.name) &&
                        !loaded_.contains(file.name) && fs::remove(file.path, ignored);
    if (!leaves) total += file.cost;
  }
  if (alone) folder_.shareUse();
  return total;
}

}  // namespace hipr::worker
