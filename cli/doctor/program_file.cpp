#include "cli/doctor/program_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "code_object/bundle.h"
#include "code_object/compressed_bundle.h"
#include "code_object/elf_format.h"
#include "code_object/select.h"

namespace hipr::doctor {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kNeeded = 1, kSoname = 14, kRpath = 15, kRunpath = 29;
constexpr std::uint64_t kMostText = 64 << 20, kMostCode = std::uint64_t{2} << 30;

// The files are the user's own; still every offset is checked against the file.
class Elf {
 public:
  explicit Elf(const fs::path& path) : file_(path, std::ios::binary) {
    std::error_code error;
    size_ = fs::file_size(path, error);
    valid_ = !error && read(0, &header_, sizeof header_) && !std::memcmp(header_.e_ident, "\177ELF\2\1", 6) &&
             header_.e_shentsize == sizeof(code::Shdr);
    if (!valid_) return;
    sections_.resize(header_.e_shnum);
    valid_ = read(header_.e_shoff, sections_.data(), sections_.size() * sizeof(code::Shdr)) &&
             header_.e_shstrndx < sections_.size();
    if (valid_) names_ = text(sections_[header_.e_shstrndx]);
  }

  bool valid() const { return valid_; }
  std::uint16_t machine() const { return header_.e_machine; }

  const code::Shdr* section(const std::string& name) const {
    for (const code::Shdr& section : sections_)
      if (section.sh_name < names_.size() && name == names_.c_str() + section.sh_name) return &section;
    return nullptr;
  }
  const code::Shdr* section(std::size_t index) const { return index < sections_.size() ? &sections_[index] : nullptr; }

  std::string text(const code::Shdr& section) { return content(section, kMostText); }
  std::string content(const code::Shdr& section, std::uint64_t most) {
    std::string out;
    if (section.sh_size > most || section.sh_size > size_) return out;
    out.resize(section.sh_size);
    if (!read(section.sh_offset, out.data(), out.size())) out.clear();
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
  code::Ehdr header_{};
  std::vector<code::Shdr> sections_;
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
  const code::Shdr* dynamic = elf.section(".dynamic");
  const code::Shdr* strings = dynamic ? elf.section(dynamic->sh_link) : nullptr;
  if (!strings) return out;  // linked statically
  const std::string entries = elf.text(*dynamic), names = elf.text(*strings);
  std::error_code error;
  const fs::path origin = fs::weakly_canonical(path, error).parent_path();
  for (std::size_t at = 0; at + sizeof(code::Dyn) <= entries.size(); at += sizeof(code::Dyn)) {
    code::Dyn entry;
    std::memcpy(&entry, entries.data() + at, sizeof entry);
    if (entry.d_val >= names.size()) continue;
    const std::string name = names.c_str() + entry.d_val;
    if (entry.d_tag == kNeeded) out.needed.push_back(name);
    if (entry.d_tag == kSoname) out.soname = name;
    if (entry.d_tag == kRpath) out.rpath = folders(name, origin);
    if (entry.d_tag == kRunpath) out.runpath = folders(name, origin);
  }
  if (!out.runpath.empty()) out.rpath.clear();  // the loader ignores it then
  return out;
}

std::vector<code::TargetId> gpuTargets(const fs::path& path, std::string& why) {
  std::vector<code::TargetId> out;
  Elf elf(path);
  const code::Shdr* section = elf.valid() ? elf.section(".hip_fatbin") : nullptr;
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
