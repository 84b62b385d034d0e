#include "code_object/bundle.h"

#include <algorithm>

namespace hipr::code {
namespace {

constexpr std::uint64_t kMaxEntries = 4096;
constexpr std::uint64_t kMaxIdLength = 1024;
constexpr std::uint64_t kMaxBundleSize = std::uint64_t{16} << 30;
constexpr std::uint64_t kTableStart = 32;  // magic and count
constexpr std::uint64_t kEntryFixedSize = 24;

struct RawEntry {
  std::uint64_t offset, size, idLength;
};
static_assert(sizeof(RawEntry) == kEntryFixedSize);

Status badCount(std::uint64_t count) {
  return Status::invalid("offload bundle claims " + std::to_string(count) + " entries");
}

Status checkEntry(const RawEntry& e, std::uint64_t index) {
  std::uint64_t end;
  if (e.idLength > kMaxIdLength || !addChecked(e.offset, e.size, end) || end > kMaxBundleSize) {
    return Status::invalid("offload bundle entry " + std::to_string(index) + " has an impossible size");
  }
  return {};
}

}  // namespace

bool isBundle(Bytes image) {
  return startsWith(image, kBundleMagic);
}

Status parseBundle(Bytes image, std::vector<BundleEntry>& out) {
  std::uint64_t count;
  if (!isBundle(image) || !readAt(image, kBundleMagic.size(), count)) return Status::invalid("not an offload bundle");
  if (count > kMaxEntries) return badCount(count);
  std::vector<BundleEntry> entries;
  std::uint64_t at = kTableStart;
  for (std::uint64_t i = 0; i < count; ++i) {
    RawEntry raw;
    if (!readAt(image, at, raw)) return Status::invalid("offload bundle table is truncated");
    if (Status s = checkEntry(raw, i); !s.ok()) return s;
    Bytes id;
    BundleEntry entry;
    if (!slice(image, at + kEntryFixedSize, raw.idLength, id)) {
      return Status::invalid("offload bundle table is truncated");
    }
    entry.id = asText(id);
    if (!slice(image, raw.offset, raw.size, entry.code)) {
      return Status::invalid("offload bundle entry " + std::to_string(i) + " lies outside the bundle");
    }
    if (Status s = parseBundleId(entry.id, entry.parsed); !s.ok()) return s;
    entries.push_back(std::move(entry));
    at += kEntryFixedSize + raw.idLength;
  }
  out = std::move(entries);
  return {};
}

Status bundleSize(const void* image, std::size_t& size) {
  const std::byte* base = static_cast<const std::byte*>(image);
  std::uint64_t count;
  if (!isBundle({base, kBundleMagic.size()})) return Status::invalid("not an offload bundle");
  std::memcpy(&count, base + kBundleMagic.size(), sizeof count);
  if (count > kMaxEntries) return badCount(count);
  std::uint64_t at = kTableStart;
  std::uint64_t end = kTableStart;
  for (std::uint64_t i = 0; i < count; ++i) {
    RawEntry raw;
    std::memcpy(&raw, base + at, sizeof raw);
    if (Status s = checkEntry(raw, i); !s.ok()) return s;
    at += kEntryFixedSize + raw.idLength;
    end = std::max({end, at, raw.offset + raw.size});
  }
  size = static_cast<std::size_t>(end);
  return {};
}

}  // namespace hipr::code
