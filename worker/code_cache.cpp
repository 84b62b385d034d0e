#include "worker/code_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/env.h"
#include "base/log.h"
#include "code_object/code_object.h"

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxKnown = 4096;  // names sent in the first exchange
constexpr const char* kSuffix = ".co";

CodeCache::Hash hashOf(wire::Bytes bytes) {
  const code::ContentHash hash = code::hashContent(bytes);
  return {hash.low, hash.high};
}

std::string nameOf(const CodeCache::Hash& hash) {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash[1]),
                static_cast<unsigned long long>(hash[0]));
  return text;
}

std::optional<CodeCache::Hash> parseName(const fs::path& file) {
  const std::string name = file.stem();
  if (file.extension() != kSuffix || name.size() != 32 || name.find_first_not_of("0123456789abcdef") != name.npos) {
    return std::nullopt;
  }
  return CodeCache::Hash{std::stoull(name.substr(16), nullptr, 16), std::stoull(name.substr(0, 16), nullptr, 16)};
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

}  // namespace

std::string defaultCacheFolder() {
  if (const auto base = envText("XDG_CACHE_HOME")) return *base + "/hip-remote";
  if (const auto home = envText("HOME")) return *home + "/.cache/hip-remote";
  return "";
}

std::string CodeCache::fileOf(const Hash& hash) const {
  return folder_ + "/" + nameOf(hash) + kSuffix;
}

void CodeCache::trim(std::uint64_t limitBytes) const {
  if (folder_.empty()) return;
  std::uint64_t total = 0;
  for (const File& file : newestFirst(folder_)) {
    total += file.size;
    std::error_code ignored;
    if (total > limitBytes) fs::remove(file.path, ignored);
  }
}

std::vector<CodeCache::Hash> CodeCache::known() const {
  std::vector<Hash> out;
  if (folder_.empty()) return out;
  for (const File& file : newestFirst(folder_)) {
    if (out.size() == kMaxKnown) break;
    out.push_back(file.hash);
  }
  return out;
}

Status CodeCache::store(const Hash& hash, wire::Bytes bytes, Code& out) {
  if (hashOf(bytes) != hash) return Status::invalid("a code object that does not have the hash it came with");
  out = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  loaded_[hash] = out;
  if (folder_.empty()) return {};
  // Written under another name first: a file with a hash for a name is always whole.
  const std::string file = fileOf(hash), draft = file + "." + std::to_string(getpid());
  std::error_code error;
  fs::create_directories(folder_, error);
  std::ofstream stream(draft, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (stream) fs::rename(draft, file, error);
  if (!stream || error) {
    static LogOnce once;
    once.error("cannot keep code objects in %s; clients will send them each time", folder_.c_str());
    fs::remove(draft, error);
  }
  return {};
}

Status CodeCache::load(const Hash& hash, Code& out) {
  if (const auto found = loaded_.find(hash); found != loaded_.end()) {
    out = found->second;
    return {};
  }
  const std::string name = fileOf(hash);
  std::ifstream stream(folder_.empty() ? "" : name, std::ios::binary | std::ios::ate);
  if (!stream) return Status::notFound("no code object " + nameOf(hash) + " here");
  std::vector<std::byte> bytes(static_cast<std::size_t>(stream.tellg()));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::error_code ignored;
  if (!stream || hashOf(bytes) != hash) {
    fs::remove(name, ignored);
    return Status::notFound("code object " + nameOf(hash) + " was damaged on disk and has been removed");
  }
  fs::last_write_time(name, fs::file_time_type::clock::now(), ignored);  // "used", for trim()
  out = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  loaded_[hash] = out;
  return {};
}

}  // namespace hipr::worker
