#include "cli/doctor/program_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "code_object/bundle.h"
#include "code_object/compressed_bundle.h"
#include "code_object/select.h"

namespace hipr::doctor {
namespace fs = std::filesystem;
namespace {

// The parts of ELF that are needed here. The files are the user's own; still every offset is checked against the file.
struct FileHeader {
  unsigned char ident[16];
  std::uint16_t type, machine;
  std::uint32_t version;
  std::uint64_t entry, programs, sections;
  std::uint32_t flags;
  std::uint16_t size, programSize, programCount, sectionSize, sectionCount, namesSection;
};
struct SectionHeader {
  std::uint32_t name, type;
  std::uint64_t flags, address, offset, size;
  std::uint32_t link, info;
  std::uint64_t alignment, entrySize;
};
struct DynamicEntry {
  std::int64_t tag;
  std::uint64_t value;
};
static_assert(sizeof(FileHeader) == 64 && sizeof(SectionHeader) == 64 && sizeof(DynamicEntry) == 16);
constexpr std::int64_t kNeeded = 1, kSoname = 14, kRpath = 15, kRunpath = 29;
constexpr std::uint64_t kMostText = 64 << 20, kMostCode = std::uint64_t{2} << 30;

class Elf {
 public:
  explicit Elf(const fs::path& path) : file_(path, std::ios::binary) {
    std::error_code error;
    size_ = fs::file_size(path, error);
    valid_ = !error && read(0, &header_, sizeof header_) && !std::memcmp(header_.ident, "\177ELF\2\1", 6) &&
             header_.sectionSize == sizeof(SectionHeader);
    if (!valid_) return;
    sections_.resize(header_.sectionCount);
    valid_ = read(header_.sections, sections_.data(), sections_.size() * sizeof(SectionHeader)) &&
             header_.namesSection < sections_.size();
    if (valid_) names_ = text(sections_[header_.namesSection]);
  }

  bool valid() const { return valid_; }
  std::uint16_t machine() const { return header_.machine; }

  const SectionHeader* section(const std::string& name) const {
    for (const SectionHeader& section : sections_)
      if (section.name < names_.size() && name == names_.c_str() + section.name) return &section;
    return nullptr;
  }
  const SectionHeader* section(std::size_t index) const {
    return index < sections_.size() ? &sections_[index] : nullptr;
  }

  std::string text(const SectionHeader& section) { return content(section, kMostText); }
  std::string content(const SectionHeader& section, std::uint64_t most) {
    std::string out;
    if (section.size > most || section.size > size_) return out;
    out.resize(section.size);
    if (!read(section.offset, out.data(), out.size())) out.clear();
    return out;
  }

 private:
  bool read(std::uint64_t offset, void* out, std::size_t size) {
    if (offset > size_ || size > size_ - offset) return false;
    file_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(file_.read(static_cast<char*>(out), static_cast<std::streamsize>(size)));
  }

  std::ifstream file_;
  std::uint64_t size_ = 0;
  bool valid_ = false;
  FileHeader header_{};
  std::vector<SectionHeader> sections_;
  std::string names_;
};

std::vector<std::string> folders(const std::string& list, const fs::path& origin) {
  std::vector<std::string> out;
  std::istringstream stream(list);
  for (std::string folder; std::getline(stream, folder, ':');) {
    for (const std::string word : {"${ORIGIN}", "$ORIGIN"})
      for (std::size_t at; (at = folder.find(word)) != std::string::npos;)
        folder.replace(at, word.size(), origin.string());
    out.push_back(folder);
  }
  return out;
}

}  // namespace

std::optional<ProgramFile> readProgramFile(const fs::path& path) {
  Elf elf(path);
  if (!elf.valid()) return std::nullopt;
  ProgramFile out;
  out.path = path;
  out.machine = elf.machine();
  const SectionHeader* dynamic = elf.section(".dynamic");
  const SectionHeader* strings = dynamic ? elf.section(dynamic->link) : nullptr;
  if (!strings) return out;  // linked statically
  const std::string entries = elf.text(*dynamic), names = elf.text(*strings);
  std::error_code error;
  const fs::path origin = fs::weakly_canonical(path, error).parent_path();
  for (std::size_t at = 0; at + sizeof(DynamicEntry) <= entries.size(); at += sizeof(DynamicEntry)) {
    DynamicEntry entry;
    std::memcpy(&entry, entries.data() + at, sizeof entry);
    if (entry.value >= names.size()) continue;
    const std::string name = names.c_str() + entry.value;
    if (entry.tag == kNeeded) out.needed.push_back(name);
    if (entry.tag == kSoname) out.soname = name;
    if (entry.tag == kRpath) out.rpath = folders(name, origin);
    if (entry.tag == kRunpath) out.runpath = folders(name, origin);
  }
  if (!out.runpath.empty()) out.rpath.clear();  // the loader ignores it then
  return out;
}

std::vector<code::TargetId> gpuTargets(const fs::path& path, std::string& why) {
  std::vector<code::TargetId> out;
  Elf elf(path);
  const SectionHeader* section = elf.valid() ? elf.section(".hip_fatbin") : nullptr;
  if (!section) return out;
  const std::string content = elf.content(*section, kMostCode);
  if (content.empty()) {
    why = "its GPU code is too large to look at";
    return out;
  }
  // One image per source file, each at the start of a page.
  constexpr std::size_t kStep = 4096;
  for (std::size_t at = 0; at < content.size(); at += kStep) {
    const code::Bytes rest(reinterpret_cast<const std::byte*>(content.data()) + at, content.size() - at);
    if (!code::isBundle(rest) && !code::isCompressedBundle(rest)) continue;
    std::vector<code::TargetId> targets;
    if (Status status = code::listTargets(rest, targets); !status.ok()) {
      why = status.message();
      continue;
    }
    for (code::TargetId& target : targets)
      if (std::ranges::find(out, target) == out.end()) out.push_back(std::move(target));
  }
  return out;
}

}  // namespace hipr::doctor
