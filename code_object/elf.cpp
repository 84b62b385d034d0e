#include "code_object/elf.h"

#include <algorithm>

#include "code_object/elf_format.h"

namespace hipr::code {
namespace {

constexpr std::uint64_t kMaxImage = std::uint64_t{16} << 30;
constexpr std::uint16_t kMaxHeaders = 4096;  // program or section headers; real files have about ten and thirty

enum : std::uint32_t { kPtLoad = 1, kPtNote = 4, kFlagX = 1, kFlagW = 2 };
enum : std::uint32_t { kShtRela = 4, kShtNote = 7, kShtNobits = 8, kShtRel = 9, kShtDynsym = 11, kShtRelr = 19 };
constexpr std::uint64_t kShfAlloc = 2;
constexpr std::uint16_t kMachineAmdgpu = 224;
constexpr std::uint16_t kTypeDyn = 3;
constexpr unsigned char kOsAbiHsa = 64;

Status bad(const std::string& what) {
  return Status::invalid("code object ELF: " + what);
}

Status checkHeader(const Ehdr& h, int& version) {
  if (h.e_ident[4] != 2 || h.e_ident[5] != 1) return bad("not 64-bit little-endian");
  if (h.e_machine != kMachineAmdgpu) return bad("machine " + std::to_string(h.e_machine) + " is not an AMD GPU");
  if (h.e_ident[7] != kOsAbiHsa) return bad("OS ABI " + std::to_string(h.e_ident[7]) + " is not HSA");
  if (h.e_type != kTypeDyn) return bad("not a linked shared object (e_type " + std::to_string(h.e_type) + ")");
  if (h.e_ident[8] < 2 || h.e_ident[8] > 4) {
    return Status::unsupported("code object ELF: ABI version " + std::to_string(h.e_ident[8]) +
                               " (code object versions 4, 5 and 6 are supported)");
  }
  version = h.e_ident[8] + 2;
  if (h.e_phentsize != sizeof(Phdr) || h.e_shentsize != sizeof(Shdr)) return bad("unexpected header entry size");
  if (h.e_phnum > kMaxHeaders || h.e_shnum > kMaxHeaders) return bad("too many headers");
  if (h.e_shnum == 0) return bad("no section headers");
  if (h.e_shstrndx >= h.e_shnum) return bad("no section has the names of the sections");
  return {};
}

// Runtimes get the address of an ELF and no size: they go where its headers point, including parts that nobody here
// reads. So all of them have to lie inside, and texts have to end.
Status checkExtents(Bytes image, const std::vector<Phdr>& programs, const std::vector<Shdr>& sections) {
  constexpr std::uint32_t kShtStrings = 3;
  Bytes part;
  for (const Phdr& p : programs)
    if (!slice(image, p.p_offset, p.p_filesz, part)) return bad("segment lies outside the file");
  for (const Shdr& s : sections) {
    if (s.sh_type == kShtNobits) continue;
    if (!slice(image, s.sh_offset, s.sh_size, part)) return bad("section lies outside the file");
    if (s.sh_type == kShtStrings && !part.empty() && part.back() != std::byte{0}) return bad("names do not end");
  }
  return {};
}

template <class T>
Status readTable(Bytes image, std::uint64_t offset, std::size_t count, const char* what, std::vector<T>& out) {
  Bytes table;
  if (!slice(image, offset, count * sizeof(T), table)) return bad(std::string(what) + " lies outside the file");
  out.resize(count);
  if (count) std::memcpy(out.data(), table.data(), table.size());
  return {};
}

Status readSegment(Bytes image, const Phdr& p, ElfSegment& out) {
  std::uint64_t end;
  if (p.p_filesz > p.p_memsz || !slice(image, p.p_offset, p.p_filesz, out.data)) {
    return bad("segment lies outside the file");
  }
  if (!addChecked(p.p_vaddr, p.p_memsz, end) || end > kMaxImage) return bad("segment at an impossible address");
  const std::uint64_t align = std::max<std::uint64_t>(p.p_align, 1);
  if (!std::has_single_bit(align) || align > (1u << 21)) return bad("bad segment alignment");
  out.address = p.p_vaddr;
  out.memorySize = p.p_memsz;
  out.alignment = align;
  out.writable = (p.p_flags & kFlagW) != 0;
  out.executable = (p.p_flags & kFlagX) != 0;
  return {};
}

// Notes are {u32 nameSize, u32 descSize, u32 type, name, desc}, name and desc padded to 4 bytes.
Status readNotes(Bytes notes, std::vector<Bytes>& out) {
  constexpr std::uint32_t kMetadataType = 32;
  std::uint64_t at = 0;
  while (at + 12 <= notes.size()) {
    std::uint32_t sizes[3];
    readAt(notes, at, sizes);
    const std::uint64_t nameAt = at + 12;
    const std::uint64_t descAt = nameAt + ((std::uint64_t{sizes[0]} + 3) & ~std::uint64_t{3});
    Bytes name, desc;
    if (!slice(notes, nameAt, sizes[0], name) || !slice(notes, descAt, sizes[1], desc)) return bad("truncated note");
    if (sizes[2] == kMetadataType && asText(name) == std::string_view("AMDGPU\0", 7)) out.push_back(desc);
    at = descAt + ((std::uint64_t{sizes[1]} + 3) & ~std::uint64_t{3});
  }
  return {};
}

Status readSymbols(Bytes image, const Shdr& section, const std::vector<Shdr>& sections, std::vector<ElfSymbol>& out) {
  Bytes names;
  if (section.sh_link >= sections.size()) return bad("dynamic symbols without names");
  const Shdr& strings = sections[section.sh_link];
  if (strings.sh_type == kShtNobits || !slice(image, strings.sh_offset, strings.sh_size, names)) {
    return bad("symbol names lie outside the file");
  }
  std::vector<Sym> raw;
  if (Status s = readTable(image, section.sh_offset, section.sh_size / sizeof(Sym), "symbol table", raw); !s.ok()) {
    return s;
  }
  out.reserve(raw.size());
  std::uint64_t nameBytes = 0;
  for (const Sym& sym : raw) {
    const std::string_view tail = asText(names).substr(std::min<std::size_t>(sym.st_name, names.size()));
    const std::size_t end = tail.find('\0');
    if (end == std::string_view::npos) return bad("symbol name is not terminated");
    // A name may be the end of another one. But every symbol's being the end of one long name would make gigabytes of
    // a small file for whoever copies them.
    if ((nameBytes += end) > image.size()) return bad("symbol names overlap");
    out.push_back({tail.substr(0, end), sym.st_value, sym.st_size, static_cast<std::uint8_t>(sym.st_info & 15),
                   sym.st_shndx != 0, (sym.st_info >> 4) == 2});
  }
  return {};
}

Status readRelocations(Bytes image, const Shdr& section, std::size_t symbolCount, std::vector<ElfRelocation>& out) {
  std::vector<Rela> raw;
  if (Status s = readTable(image, section.sh_offset, section.sh_size / sizeof(Rela), "relocation table", raw);
      !s.ok()) {
    return s;
  }
  for (const Rela& r : raw) {
    if (r.r_sym != 0 && r.r_sym >= symbolCount) return bad("relocation against a symbol that does not exist");
    out.push_back({r.r_offset, r.r_addend, r.r_type, r.r_sym});
  }
  return {};
}

Status readSections(Bytes image, const std::vector<Shdr>& sections, ElfView& view) {
  std::uint64_t relocationBytes = 0;
  for (const Shdr& section : sections) {
    if (section.sh_type != kShtDynsym) continue;
    if (!view.symbols.empty()) return bad("two dynamic symbol tables");
    if (Status s = readSymbols(image, section, sections, view.symbols); !s.ok()) return s;
  }
  for (const Shdr& section : sections) {
    if (!(section.sh_flags & kShfAlloc)) continue;
    if (section.sh_type == kShtRel || section.sh_type == kShtRelr) {
      return Status::unsupported("code object ELF: relocation section of type " + std::to_string(section.sh_type));
    }
    if (section.sh_type != kShtRela) continue;
    // Many headers naming the same bytes would multiply a small file into a huge table.
    if (!addChecked(relocationBytes, section.sh_size, relocationBytes) || relocationBytes > image.size()) {
      return bad("relocation tables overlap or lie outside the file");
    }
    if (Status s = readRelocations(image, section, view.symbols.size(), view.relocations); !s.ok()) return s;
  }
  return {};
}

}  // namespace

bool isElf(Bytes image) {
  return startsWith(image, kElfMagic);
}

Status parseElf(Bytes image, ElfView& out) {
  Ehdr h;
  if (!isElf(image) || !readAt(image, 0, h)) return bad("no ELF header");
  ElfView view;
  view.bytes = image;
  view.flags = h.e_flags;
  if (Status s = checkHeader(h, view.codeObjectVersion); !s.ok()) return s;
  if (Status s = targetFromElfFlags(h.e_flags, view.target); !s.ok()) return s;

  std::vector<Phdr> programs;
  std::vector<Shdr> sections;
  if (Status s = readTable(image, h.e_phoff, h.e_phnum, "program headers", programs); !s.ok()) return s;
  if (Status s = readTable(image, h.e_shoff, h.e_shnum, "section headers", sections); !s.ok()) return s;
  if (Status s = checkExtents(image, programs, sections); !s.ok()) return s;
  std::uint64_t noteBytes = 0;
  std::uint64_t loaded = 0;  // address up to which segments have been seen
  for (const Phdr& p : programs) {
    if (p.p_type == kPtLoad) {
      if (Status s = readSegment(image, p, view.segments.emplace_back()); !s.ok()) return s;
      if (p.p_vaddr < loaded) return bad("segments overlap or are not in ascending order");
      loaded = p.p_vaddr + p.p_memsz;
    } else if (p.p_type == kPtNote) {
      Bytes notes;
      if (!slice(image, p.p_offset, p.p_filesz, notes)) return bad("notes lie outside the file");
      if ((noteBytes += notes.size()) > image.size()) return bad("notes overlap");
      if (Status s = readNotes(notes, view.metadataNotes); !s.ok()) return s;
    }
  }
  for (const Shdr& section : sections) {
    // Notes outside any segment: only where there were none in one, so that no note is read twice.
    Bytes notes;
    if (section.sh_type != kShtNote || !view.metadataNotes.empty()) continue;
    if (!slice(image, section.sh_offset, section.sh_size, notes)) return bad("notes lie outside the file");
    if (Status s = readNotes(notes, view.metadataNotes); !s.ok()) return s;
  }
  if (Status s = readSections(image, sections, view); !s.ok()) return s;
  out = std::move(view);
  return {};
}

Status elfSize(const void* image, std::size_t& size) {
  const std::byte* base = static_cast<const std::byte*>(image);
  Ehdr h;
  if (!isElf({base, kElfMagic.size()})) return bad("no ELF header");
  std::memcpy(&h, base, sizeof h);
  int version;
  if (Status s = checkHeader(h, version); !s.ok()) return s;
  std::uint64_t end = sizeof h;
  bool sane = true;
  const auto reach = [&](std::uint64_t offset, std::uint64_t length) {
    std::uint64_t to;
    sane = sane && addChecked(offset, length, to) && to <= kMaxImage;
    if (sane) end = std::max(end, to);
  };
  reach(h.e_phoff, h.e_phnum * sizeof(Phdr));
  reach(h.e_shoff, h.e_shnum * sizeof(Shdr));
  for (std::size_t i = 0; sane && i < h.e_phnum; ++i) {
    Phdr p;
    std::memcpy(&p, base + h.e_phoff + i * sizeof p, sizeof p);
    reach(p.p_offset, p.p_filesz);
  }
  for (std::size_t i = 0; sane && i < h.e_shnum; ++i) {
    Shdr s;
    std::memcpy(&s, base + h.e_shoff + i * sizeof s, sizeof s);
    if (s.sh_type != kShtNobits) reach(s.sh_offset, s.sh_size);
  }
  if (!sane) return bad("headers claim an impossible size");
  size = static_cast<std::size_t>(end);
  return {};
}

}  // namespace hipr::code
